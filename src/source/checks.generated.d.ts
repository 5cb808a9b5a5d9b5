import type { Validate } from '../kit/schema.ts'

export declare const validateSourceManifest: Validate
export declare const validateGraphqlErrors: Validate
export declare const validateIssueAnswer: Validate
export declare const validateCommentsAnswer: Validate
export declare const validateCommentAnswer: Validate
