/** Changes that have not ended, for those who report on them or clear them away. */
import type { WorkspaceIdentity } from '../../contract/workspace-identity.shape.ts'
import { Fault } from '../../kit/fault.ts'
import { lockBusy } from '../../kit/faults.ts'
import { takeLock } from '../../kit/files/lock.ts'
import { realTreeDisk, type TreeDisk, type Worktree } from '../worktree.ts'
import { changesLock, recordsDirectory, whileNobodyElseChanges } from './change-lock.ts'
import { explainLeftovers, type Leftover } from './explain-change.ts'
import { findLeftovers, type Settled, settleChanges } from './recover-changes.ts'

/** What is there; none of it was left behind if somebody is at work on it. */
export type Unended = { readonly left: readonly Leftover[]; readonly isUnderWay: boolean }

/** Writes nothing and waits for nobody. */
export async function inspectChanges(workspace: WorkspaceIdentity, tree: Worktree): Promise<Unended> {
  const site = { tree, records: recordsDirectory(workspace) }
  const left = explainLeftovers(findLeftovers(site))
  if (left.length === 0) return { left, isUnderWay: false }
  try {
    // Whoever makes a change holds the lock. While this is held, nobody does, and what is there then was left behind.
    using _lock = await takeLock({ path: changesLock(workspace), mode: 'shared', waitMs: 0 })
    return { left: explainLeftovers(findLeftovers(site)), isUnderWay: false }
  } catch (error) {
    if (!(error instanceof Fault)) throw error
    return { left, isUnderWay: error.code === lockBusy.code }
  }
}

/** Undoes, or clears up after, every change that was cut off; throws `lock_busy` while another is being made. */
export function clearChanges(
  { workspace, signal }: { workspace: WorkspaceIdentity; signal: AbortSignal },
  disk: TreeDisk = realTreeDisk,
): Promise<Settled> {
  return whileNobodyElseChanges({ workspace, signal, disk }, settleChanges)
}
