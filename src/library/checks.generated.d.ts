import type { Validate } from '../kit/schema.ts'

export declare const validatePromptRequest: Validate
export declare const validateParallelRequest: Validate
export declare const validateChainRequest: Validate
export declare const validateSessionQuery: Validate
export declare const validateSessionChange: Validate
export declare const validateDriveRequest: Validate
export declare const validateActRequest: Validate
export declare const validateExecutionQuery: Validate
export declare const validateRunQuery: Validate
export declare const validateDiffQuery: Validate
export declare const validateReportQuery: Validate
export declare const validateRunAnswer: Validate
