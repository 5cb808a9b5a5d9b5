/** Lets a run continue that was stopped, or that waits for something a person has settled by driving it again. */

import type { RunOutline } from '../../runs/read-status.ts'
import { resumeRun } from '../../runs/resume-run.ts'
import type { RunContext } from '../../runs/run-context.ts'

/** `actions` are those that the person adds. */
export async function reviveRun(context: RunContext, run: RunOutline, actions: number | undefined): Promise<void> {
  if (!canRevive(run, actions)) return
  await resumeRun(context, run.id, { ...chooseSource(run), ...(actions !== undefined && { budget: actions }) })
}

/** A question needs an answer, and a used budget needs a new one. */
function canRevive({ state, pause_reason, source_candidate }: RunOutline, actions: number | undefined): boolean {
  if (source_candidate !== undefined) return false
  if (state === 'stopped' || pause_reason === 'environment_unavailable') return true
  return pause_reason === 'budget_exhausted' && actions !== undefined
}

/** A run with an issue continues with the pinned requirements: to look at the issue again needs an explicit choice. */
export function chooseSource({ pinned_source }: Pick<RunOutline, 'pinned_source'>): { usePinnedSource?: boolean } {
  return pinned_source === undefined ? {} : { usePinnedSource: true }
}
