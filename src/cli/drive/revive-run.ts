/** Lets a run go on that was stopped, or that waits for something a person has settled by driving it again. */
import { resumeRun } from '../../runs/resume-run.ts'
import type { RunContext } from '../../runs/run-context.ts'
import type { RunOutline } from '../../runs/run-status.ts'
import type { Invocation } from '../command.ts'
import { sourceChoiceOf } from './ask-person.ts'

export async function reviveRun({ flags }: Invocation, context: RunContext, run: RunOutline): Promise<void> {
  const budget = flags.integer('actions')
  if (!canRevive(run, budget)) return
  await resumeRun(context, run.id, { ...sourceChoiceOf(run), ...(budget !== undefined && { budget }) })
}

/** A question needs an answer, and a used budget needs a new one. */
function canRevive({ state, pause_reason, source_candidate }: RunOutline, budget: number | undefined): boolean {
  if (source_candidate !== undefined) return false
  if (state === 'stopped' || pause_reason === 'environment_unavailable') return true
  return pause_reason === 'budget_exhausted' && budget !== undefined
}
