import type { Validate } from '../kit/schema.ts'

export declare const prompt: Validate
export declare const compare: Validate
export declare const compare_keep: Validate
export declare const session_resume: Validate
export declare const execution_get: Validate
export declare const execution_cancel: Validate
export declare const execution_message: Validate
export declare const execution_answer: Validate
export declare const run_start: Validate
export declare const run_status: Validate
export declare const run_answer: Validate
export declare const run_follow_up: Validate
export declare const run_move: Validate
export declare const run_merge: Validate
export declare const run_pull_request: Validate
export declare const run_take: Validate
export declare const run_discard: Validate
export declare const budget_list: Validate
