import type { GitObservation } from '../contract/git-observation.shape.ts'
import { CONTRACT_VERSION } from '../contract/limits.ts'
import type { ResumeResult } from '../contract/resume-result.shape.ts'
import { applyEvent } from './apply-event.ts'
import { diffRuns } from './state/diff-runs.ts'
import { type Run, seedRun } from './state/run.ts'
import type { EventType, RunEvent, RunSeed } from './state/run-event.shape.ts'

/** The current state of the worktree, or why git could not report it. */
export type GitFacts =
  | { readonly is: 'observed'; readonly git: GitObservation }
  | { readonly is: 'unavailable'; readonly problem: string }

/** What an operation needs to know besides the run. */
export type Facts = {
  readonly now: string
  /** The id for a new action, if one is issued. */
  readonly actionId: string
  /** Absent in the first call: observing git takes time, and not every decision needs it. */
  readonly gitFacts?: GitFacts
}

/** `event` must be recorded before `run` counts. `resumed` is the result that a repeated resume had the first time. */
export type Decided =
  | { readonly is: 'changed'; readonly run: Run; readonly event: RunEvent }
  | { readonly is: 'unchanged'; readonly run: Run; readonly resumed?: ResumeResult }

/** `needs_git_facts`: the operation is allowed but depends on the worktree; call it again with `gitFacts`. */
export type Decision = Decided | { readonly is: 'needs_git_facts' }

export const needsGitFacts: Decision = { is: 'needs_git_facts' }

export type Change = { readonly type: EventType; readonly draft: Run; readonly now: string }

/** Turns the difference between two runs into an event. The new run is computed from the event, as a later read does it. */
export function decide(before: Run, { type, draft, now }: Change): Decided {
  const data = { ...eventHead(before.id, now), ...diffRuns(before, draft) }
  const event: RunEvent = { type, data }
  return { is: 'changed', run: applyEvent(before, event), event }
}

/** Like `decide`, for the event that starts a run. */
export function decideStart(seed: RunSeed, draft: Run): Decided & { is: 'changed' } {
  const { id, created_at } = draft
  const data = { ...eventHead(id, created_at), initialize: seed, ...diffRuns(seedRun(id, seed), draft) }
  const event: RunEvent = { type: 'run_started', data }
  return { is: 'changed', run: applyEvent(undefined, event), event }
}

function eventHead(run_id: string, updated_at: string) {
  return { event_version: 2, contract_version: CONTRACT_VERSION, run_id, updated_at } as const
}
