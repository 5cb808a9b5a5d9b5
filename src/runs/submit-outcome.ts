import type { ProtocolState } from '../contract/protocol-state.shape.ts'
import { type Submission, submit } from '../engine/operations/submit.ts'
import { changeRun, reportChange } from './change-run.ts'
import type { RunContext } from './run-context.ts'

/** Hands in what came of an action. The worktree is looked at, whatever the outcome says of it. */
export async function submitOutcome(
  context: RunContext,
  runId: string,
  submission: Submission,
): Promise<ProtocolState> {
  const { run } = await changeRun(context, runId, { decide: (before, facts) => submit(before, submission, facts) })
  return reportChange(run)
}
