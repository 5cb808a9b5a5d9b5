import type { Validate } from '../kit/schema.ts'

export declare const validateOwnershipManifest: Validate
export declare const validateChangeRecord: Validate
