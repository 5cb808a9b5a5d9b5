import type { Validate } from '../kit/schema.ts'

export declare const validateTemplateRecord: Validate
export declare const validateWorktreeRecord: Validate
