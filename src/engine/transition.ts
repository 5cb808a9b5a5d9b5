import type { EventType, RunEvent } from './event.shape.ts'
import type { Run } from './run.ts'

/** A run, what happened to it, and what it is now. */
export type Transition = { readonly before: Run; readonly event: RunEvent; readonly after: Run }

/**
 * What must be true of every event and of the run that it makes, beyond their shapes; `says` is what whoever finds it broken
 * is told. The shapes already leave no room for most of what a history must not have: one that shrinks, an action that is
 * rewritten, a mark on an action that was not current.
 */
export type TransitionRule = { readonly says: string; readonly holds: (transition: Transition) => boolean }

/** What the events that resume a run say that they did. */
export const RESUME_OPERATIONS: Readonly<Partial<Record<EventType, string>>> = {
  run_resumed: 'ad_hoc_resumed',
  source_refreshed: 'source_refreshed',
  source_candidate_created: 'source_candidate_created',
  source_refresh_skipped: 'source_refresh_skipped',
  source_amended: 'source_amended',
  source_pinned: 'source_pinned',
}

/** Whether an event lets the run go on with another look at the ground. */
export function goesOn({ type }: RunEvent): boolean {
  return RESUME_OPERATIONS[type] !== undefined && type !== 'source_candidate_created'
}
