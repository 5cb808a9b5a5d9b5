import type { LocalRun } from '../contract/run-status.shape.ts'
import { checkRunStatus } from '../contract/run-status.ts'
import { type RunOutline, toRunOutline, toRunStatus } from '../engine/to-run-status.ts'
import { openRun, openWholeRun } from './open-run.ts'
import type { RunContext } from './run-context.ts'

export type { RunOutline }

/** Everything that is known of a run of this worktree. */
export async function showStatus(context: RunContext, runId: string): Promise<LocalRun> {
  const status = await openWholeRun(context, runId, toRunStatus)
  checkRunStatus(status)
  return status
}

/** As much of it as people are shown, for which a long journal need not be read. */
export async function outlineRun(context: RunContext, runId: string): Promise<RunOutline> {
  return await openRun(context, runId, toRunOutline)
}
