import type { Validate } from '../kit/schema.ts'

export declare const validateManifestForm: Validate
export declare const validateManifestFields: Validate
export declare const validateManifestSectionFields: Validate
export declare const validateIssueAnswer: Validate
export declare const validateCommentsAnswer: Validate
export declare const validateCommentAnswer: Validate
