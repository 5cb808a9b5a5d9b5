/** The states of an execution. */
import type { ExecutionKind } from '../../prompts/execution-recorder.ts'

export const EXECUTION_STATES = ['queued', 'running', 'completed', 'failed', 'cancelled', 'lost'] as const
export type ExecutionState = (typeof EXECUTION_STATES)[number]

const FINAL_STATES = ['completed', 'failed', 'cancelled', 'lost'] as const

export function isFinal(state: ExecutionState): boolean {
  return (FINAL_STATES as readonly ExecutionState[]).includes(state)
}

/** What an execution runs: one prompt, or nothing, only showing the command for it; a part of a batch, a whole batch, or an action of a run. */
export const EXECUTION_KINDS = [
  'prompt',
  'dry_run',
  'parallel',
  'parallel_task',
  'chain',
  'chain_step',
  'compare',
  'compare_backend',
  'action',
] as const satisfies readonly ExecutionKind[]

/** How much of an execution is stored: its events, only its record with the result, or nothing. */
export type KeepMode = 'events' | 'results' | 'none'

export function resolveKeepMode(setting: KeepMode | 'auto', otherwise: KeepMode): KeepMode {
  return setting === 'auto' ? otherwise : setting
}
