import type { Validate } from '../kit/schema.ts'

export declare const validatePromptRequest: Validate
export declare const validateResumeRequest: Validate
export declare const validateParallelRequest: Validate
export declare const validateChainRequest: Validate
export declare const validateCompareRequest: Validate
export declare const validateKeepRequest: Validate
