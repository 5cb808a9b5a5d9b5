/** Runs the checks of a run on a merge commit, in a clean checkout, as before a delivery. */
import { endMarkedProcesses } from '../../kit/process/end-tree.ts'
import { inTree } from '../../kit/process/process-tree.ts'
import { runInterrupted } from '../../runs/faults.ts'
import { withPinnedGit } from '../../runs/run-context.ts'
import { openOwnWorktree } from '../../runs/run-worktree.ts'
import { checkOutAndCheck } from '../check-delivery.ts'
import { openBoundaryFor } from '../drive-boundary.ts'
import { readDriveState, record, treeIdOf } from '../drive-context.ts'
import { restorePlace } from '../start/restore-place.ts'
import type { Acting, WorktreePlace } from './acting.ts'
import { mergeCheckFailed } from './faults.ts'

/** Throws `merge_check_failed`. The result is recorded either way. */
export async function checkMerge(
  acting: Acting,
  place: WorktreePlace,
  { into, commit }: { into: string; commit: string },
): Promise<void> {
  const { options, boundary: before } = readDriveState(acting)
  if (options.checks.length === 0) return
  // The clean checkout is beside it, with the filters that its record names.
  await restorePlace(acting.runs, acting.worktrees, { run_id: acting.runId, place })
  const runs = withPinnedGit(await openOwnWorktree(acting.runs, acting.runId))
  const wasInside = before?.is === 'inside'
  const boundary = await openBoundaryFor(acting.sandbox, { options, wasInside, workspace: runs.workspace })
  const treeId = treeIdOf(place)
  await endMarkedProcesses(treeId)
  const startedAt = performance.now()
  const checked = await checkOutAndCheck({ ...acting, runs, boundary, env: inTree(acting.env, treeId) }, place, commit)
  if (checked === undefined) throw runInterrupted({})
  const duration_ms = Math.round(performance.now() - startedAt)
  record(acting, 'merge_checked', { into, commit, ...checked, duration_ms })
  if (checked.result === 'failed') throw mergeCheckFailed({ into, reason: checked.reason ?? 'a check fails' })
}
