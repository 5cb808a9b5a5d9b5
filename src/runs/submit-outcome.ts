import type { ProtocolState } from '../contract/protocol-state.shape.ts'
import { type Submission, submit } from '../engine/submit.ts'
import { changeRun, reportChange } from './change-run.ts'
import type { Worksite } from './worksite.ts'

/** Hands in what came of an action. The worktree is looked at, whatever the outcome says of it. */
export async function submitOutcome(site: Worksite, runId: string, submission: Submission): Promise<ProtocolState> {
  const { run } = await changeRun(site, runId, { decide: (before, facts) => submit(before, submission, facts) })
  return reportChange(run)
}
