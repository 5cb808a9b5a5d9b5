import type { ProtocolState } from '../contract/protocol-state.shape.ts'
import { answer } from '../engine/operations/answer.ts'
import { skip, stop } from '../engine/operations/skip-or-stop.ts'
import { type Submission, submit } from '../engine/operations/submit.ts'
import type { Answer } from '../engine/state/answer-digest.ts'
import { changeRun, type RunChange, reportChange } from './change-run.ts'
import { runIdRequired } from './faults.ts'
import type { RunList } from './read-status.ts'
import type { RunContext } from './run-context.ts'

/** Submits the outcome of an action. The worktree is observed, whatever the outcome says about it. */
export async function submitOutcome(
  context: RunContext,
  runId: string,
  submission: Submission,
): Promise<ProtocolState> {
  return await change(context, runId, (run, facts) => submit(run, submission, facts))
}

/** Answers a question, or confirms or declines a destructive request. */
export async function answerQuestion(context: RunContext, runId: string, given: Answer): Promise<ProtocolState> {
  return await change(context, runId, (run, facts) => answer(run, given, facts))
}

/** Skips the current action of a run. */
export async function skipAction(context: RunContext, runId: string, actionId: string): Promise<ProtocolState> {
  return await change(context, runId, (run, facts) => skip(run, actionId, facts))
}

/** Stops a run and withdraws its current action. */
export async function stopRun(context: RunContext, runId: string): Promise<ProtocolState> {
  return await change(context, runId, stop)
}

async function change(context: RunContext, runId: string, decide: RunChange['decide']): Promise<ProtocolState> {
  const { run } = await changeRun(context, runId, { decide })
  return reportChange(run)
}

/** The only run that `drover stop` without an id can mean. Throws if a run is unreadable, since it might be that one. */
export function onlyStoppable({ runs, unavailable_runs }: RunList): string {
  const stoppable = runs.filter(
    ({ workspace_foreign, state }) => workspace_foreign !== true && (state === 'active' || state === 'paused'),
  )
  const [only] = stoppable
  if (unavailable_runs.length > 0)
    throw runIdRequired({ problem: 'some runs cannot be read, so drover cannot tell which run to stop' })
  if (only === undefined) throw runIdRequired({ problem: 'this worktree has no run that can be stopped' })
  if (stoppable.length > 1)
    throw runIdRequired({ problem: `this worktree has ${stoppable.length} runs that can be stopped` })
  return only.id
}
