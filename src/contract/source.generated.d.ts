import type { Validate } from '../kit/schema.ts'

export declare const validateRawSourceEnvelopeForm: Validate
export declare const validateRawSourceEnvelopeFields: Validate
export declare const validateRawSourceCommentFields: Validate
export declare const validatePinnedSource: Validate
export declare const validateSourceCandidate: Validate
