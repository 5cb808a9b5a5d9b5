/** Finds unfinished changes, and cleans them up for "drover doctor". */
import type { WorkspaceIdentity } from '../../contract/workspace-identity.shape.ts'
import { Fault } from '../../kit/fault.ts'
import { lockBusy } from '../../kit/faults.ts'
import { takeLock } from '../../kit/files/lock.ts'
import { type OpenWorktree, realTreeDisk, type TreeDisk } from '../worktree.ts'
import { changesLock, recordsDirectory, withChangeLock } from './change-lock.ts'
import { describeLeftovers, type LeftoverWarning } from './explain-change.ts'
import { findLeftovers, type Recovery, recoverChanges } from './recover-changes.ts'

/** If `isRunning`, another process is making the change, so nothing was left behind. */
export type UnfinishedChanges = { readonly left: readonly LeftoverWarning[]; readonly isRunning: boolean }

/** Writes nothing and does not wait for the lock. */
export async function inspectChanges(workspace: WorkspaceIdentity, tree: OpenWorktree): Promise<UnfinishedChanges> {
  const context = { tree, records: recordsDirectory(workspace) }
  const left = describeLeftovers(findLeftovers(context))
  if (left.length === 0) return { left, isRunning: false }
  try {
    // A running change holds the lock. If we get it, no change is running, and what we find was left behind.
    using _lock = await takeLock({ path: changesLock(workspace), mode: 'shared', waitMs: 0 })
    return { left: describeLeftovers(findLeftovers(context)), isRunning: false }
  } catch (error) {
    if (!(error instanceof Fault)) throw error
    return { left, isRunning: error.code === lockBusy.code }
  }
}

/** Undoes or cleans up every interrupted change. Throws `lock_busy` while another process makes a change. */
export function clearChanges(
  { workspace, signal }: { workspace: WorkspaceIdentity; signal: AbortSignal },
  disk: TreeDisk = realTreeDisk,
): Promise<Recovery> {
  return withChangeLock({ workspace, signal, disk }, recoverChanges)
}
