import type { Validate } from '../../kit/schema.ts'

export declare const validateProjectFile: Validate
export declare const validateProjectRecord: Validate
