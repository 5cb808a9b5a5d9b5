import type { Run } from '../state/run.ts'
import type { EventType, RunEvent } from '../state/run-event.shape.ts'

/** One event, with the run before and after it. */
export type Transition = { readonly before: Run; readonly event: RunEvent; readonly after: Run }

/**
 * A condition that every event must meet beyond its shape. `says` is the message when it does not. The shapes already
 * exclude a shrinking history, a rewritten action and a change to an action that is not current.
 */
export type TransitionRule = { readonly says: string; readonly holds: (transition: Transition) => boolean }

/** The `operation` that each resuming event reports in `last_resume_result`. */
export const RESUME_OPERATIONS: Readonly<Partial<Record<EventType, string>>> = {
  run_resumed: 'ad_hoc_resumed',
  source_refreshed: 'source_refreshed',
  source_candidate_created: 'source_candidate_created',
  source_refresh_skipped: 'source_refresh_skipped',
  source_amended: 'source_amended',
  source_pinned: 'source_pinned',
}

/** Whether an event continues the run with a new orientation. */
export function isContinuation({ type }: RunEvent): boolean {
  return RESUME_OPERATIONS[type] !== undefined && type !== 'source_candidate_created'
}
