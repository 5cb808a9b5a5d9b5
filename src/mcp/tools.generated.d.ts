import type { Tool } from '@modelcontextprotocol/server'

export type ToolName =
  | 'prompt'
  | 'compare'
  | 'compare_keep'
  | 'session_resume'
  | 'execution_get'
  | 'execution_cancel'
  | 'run_start'
  | 'run_status'
  | 'run_answer'
export declare const TOOLS: readonly (Tool & { readonly name: ToolName })[]
