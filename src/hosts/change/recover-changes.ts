/** Finds and ends the changes that a killed process left behind. */
import type { WorkspaceIdentity } from '../../contract/workspace-identity.shape.ts'
import { Fault } from '../../kit/fault.ts'
import { lockBusy } from '../../kit/faults.ts'
import { takeLock } from '../../kit/files/lock.ts'
import { attempt, type OpenWorktree, realTreeDisk, type TreeDisk } from '../worktree.ts'
import { changesLock, recordsDirectory, withChangeLock } from './change-lock.ts'
import { type FoundRecord, findRecords } from './change-record.ts'
import { type ChangeContext, finishChange, undoChange } from './end-change.ts'
import {
  describeLeftFile,
  describeLeftovers,
  type LeftFile,
  type Leftovers,
  type LeftoverWarning,
} from './explain-change.ts'
import { isRecoveryName, recoveryName } from './recovery-folder.ts'

export type Recovery = {
  /** Why no new change can be made, and what to do about it. */
  readonly obstacles: readonly string[]
  /** Other messages for the user. */
  readonly warnings: readonly string[]
  /** Files that are still in a recovery folder, relative to the root of the worktree. */
  readonly artifacts: readonly string[]
}

/** Changes nothing. A change that another process is making is found too. */
function findLeftovers({ tree, records }: ChangeContext): Leftovers {
  const found = findRecords({ directory: records, disk: tree.disk })
  const claimed = found.flatMap((each) => ('record' in each ? [recoveryName(each.record.id)] : []))
  using root = tree.enter('')
  const names = attempt('.', () => tree.disk.readdirSync(root?.at('.') ?? tree.root))
  return { records: found, unclaimed: names.filter((name) => isRecoveryName(name) && !claimed.includes(name)).sort() }
}

/** Undoes or cleans up every change that has a record. The caller holds the change lock. Other recovery folders stay. */
export function recoverChanges(context: ChangeContext): Recovery {
  const recoveries = findRecords({ directory: context.records, disk: context.tree.disk }).map((found) =>
    recoverChange(found, context),
  )
  return {
    obstacles: recoveries.flatMap(({ obstacles }) => obstacles),
    warnings: recoveries.flatMap(({ warnings }) => warnings),
    artifacts: recoveries.flatMap(({ artifacts }) => artifacts),
  }
}

function recoverChange(found: FoundRecord, context: ChangeContext): Recovery {
  if ('problem' in found) {
    const obstacles = describeLeftovers({ records: [found], unclaimed: [] }).map(({ text }) => text)
    return { obstacles, warnings: [], artifacts: [] }
  }
  const { record } = found
  const names = record.hosts.join(', ')
  if (record.phase === 'committed') {
    const left = finishChange(record, context)
    return { obstacles: [], warnings: left.map(describeLeftFile), artifacts: listArtifacts(left) }
  }
  const left = undoChange(record, context)
  const obstacles = left.filter(({ aside }) => aside !== undefined).map(describeLeftFile)
  const notes = left.filter(({ aside }) => aside === undefined).map(describeLeftFile)
  const undone = obstacles.length === 0 ? [`an earlier change of ${names} was interrupted; it was undone first`] : []
  return { obstacles, warnings: [...undone, ...notes], artifacts: listArtifacts(left) }
}

function listArtifacts(left: readonly LeftFile[]): string[] {
  return left.flatMap(({ aside }) => aside?.artifact ?? [])
}

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
