import type { Validate } from '../kit/schema.ts'

export declare const validateRawSourceEnvelope: Validate
export declare const validatePinnedSource: Validate
export declare const validateSourceCandidate: Validate
