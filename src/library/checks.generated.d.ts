import type { Validate } from '../kit/schema.ts'

export declare const validatePromptRequest: Validate
export declare const validateParallelRequest: Validate
export declare const validateChainRequest: Validate
export declare const validateSessionQuery: Validate
export declare const validateSessionChange: Validate
export declare const validateDriveRequest: Validate
export declare const validateActRequest: Validate
