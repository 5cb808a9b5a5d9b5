import type { LocalRun } from '../contract/run-status.shape.ts'
import { checkRunStatus } from '../contract/run-status.ts'
import { toRunStatus } from '../engine/to-run-status.ts'
import { openWholeRun } from './open-run.ts'
import type { Worksite } from './worksite.ts'

/** Everything that is known of a run of this worktree. */
export async function showStatus(site: Worksite, runId: string): Promise<LocalRun> {
  const status = await openWholeRun(site, runId, toRunStatus)
  checkRunStatus(status)
  return status
}
