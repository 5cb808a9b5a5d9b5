import type { Validate } from '../kit/schema.ts'

export declare const validateAction: Validate
export declare const validateActionMaterial: Validate
export declare const validatePinnedMaterial: Validate
export declare const validateOutcomeForm: Validate
export declare const validateOutcome: Validate
export declare const validateGitObservation: Validate
export declare const validateProtocolState: Validate
export declare const validateRunStatus: Validate
export declare const validateStatusList: Validate
