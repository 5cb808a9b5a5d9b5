import type { Validate } from '../../kit/schema.ts'

export declare const validateParallelFile: Validate
export declare const validateChainFile: Validate
