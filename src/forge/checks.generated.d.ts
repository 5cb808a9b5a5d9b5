import type { Validate } from '../kit/schema.ts'

export declare const validateBranchAnswer: Validate
export declare const validateCheckRunsAnswer: Validate
export declare const validateEditAnswer: Validate
export declare const validateEventsAnswer: Validate
export declare const validateGraphqlErrors: Validate
export declare const validateLabeledAnswer: Validate
export declare const validateListedAnswer: Validate
export declare const validateOneIssueAnswer: Validate
export declare const validatePermissionAnswer: Validate
export declare const validatePostedAnswer: Validate
export declare const validatePullAnswer: Validate
export declare const validatePullsAnswer: Validate
export declare const validateRepositoryAnswer: Validate
export declare const validateReviewCommentsAnswer: Validate
export declare const validateReviewsAnswer: Validate
export declare const validateRulesAnswer: Validate
export declare const validateStatusAnswer: Validate
export declare const validateThreadsAnswer: Validate
export declare const validateViewerAnswer: Validate
