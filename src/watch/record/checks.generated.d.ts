import type { Validate } from '../../kit/schema.ts'

export declare const validateWatchRecord: Validate
export declare const validateTakenIssue: Validate
