import { CONTRACT_VERSION } from '../contract/limits.ts'
import type { ResumeResult } from '../contract/resume-result.shape.ts'
import { applyEvent } from './apply-event.ts'
import { diffRuns } from './diff-runs.ts'
import type { EventType, RunEvent, RunSeed } from './event.shape.ts'
import { type Run, seedRun } from './run.ts'

/** The event is to be recorded, and then it is so. `resumed` is what a repeated request did the first time. */
export type Decided =
  | { readonly is: 'changed'; readonly run: Run; readonly event: RunEvent }
  | { readonly is: 'unchanged'; readonly run: Run; readonly resumed?: ResumeResult }

/** An operation is allowed and cannot be decided before git was looked at: ask again with a gitFacts. */
export type Decision = Decided | { readonly is: 'needs_git_facts' }

export const needsGitFacts: Decision = { is: 'needs_git_facts' }

export type Change = { readonly type: EventType; readonly draft: Run; readonly now: string }

/** Makes an event of the difference. The new run is what the event makes of the old one, as it will be when read again. */
export function decide(before: Run, { type, draft, now }: Change): Decided {
  const data = { ...headOf(before.id, now), ...diffRuns(before, draft) }
  const event: RunEvent = { type, data }
  return { is: 'changed', run: applyEvent(before, event), event }
}

/** The same for the event that begins a run. */
export function decideStart(seed: RunSeed, draft: Run): Decided & { is: 'changed' } {
  const { id, created_at } = draft
  const data = { ...headOf(id, created_at), initialize: seed, ...diffRuns(seedRun(id, seed), draft) }
  const event: RunEvent = { type: 'run_started', data }
  return { is: 'changed', run: applyEvent(undefined, event), event }
}

function headOf(run_id: string, updated_at: string) {
  return { event_version: 2, contract_version: CONTRACT_VERSION, run_id, updated_at } as const
}
