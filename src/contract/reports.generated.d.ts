import type { Validate } from '../kit/schema.ts'

export declare const validateChangeReport: Validate
export declare const validateListReport: Validate
export declare const validateDoctorReport: Validate
export declare const validateCliError: Validate
export declare const validateNext: Validate
