import type { Validate } from '../../kit/schema.ts'

export declare const validateDriveEvent: Validate
