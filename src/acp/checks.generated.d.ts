import type { Validate } from '../kit/schema.ts'

export declare const validateInitializeParams: Validate
export declare const validateNewSessionParams: Validate
export declare const validateOpenSessionParams: Validate
export declare const validateSessionParams: Validate
export declare const validateListSessionsParams: Validate
export declare const validatePromptParams: Validate
export declare const validateSetModeParams: Validate
export declare const validateSetOptionParams: Validate
