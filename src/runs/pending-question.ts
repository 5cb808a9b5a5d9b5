/** The question that a run waits with. Pure. */
import type { RunOutline } from './read-status.ts'

/** Undefined if the run does not wait for an answer to one. */
export function pendingQuestion({
  state,
  current_action,
  actions,
}: Pick<RunOutline, 'state' | 'current_action' | 'actions'>): string | undefined {
  return state === 'paused' && current_action !== undefined ? actions.at(-1)?.outcome?.pause?.question : undefined
}
