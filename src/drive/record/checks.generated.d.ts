import type { Validate } from '../../kit/schema.ts'

export declare const validateDriveEvent: Validate
export declare const validateDrivenRecord: Validate
export declare const validateRunCopy: Validate
export declare const validateSettingsDecision: Validate
export declare const validateAgentLimit: Validate
