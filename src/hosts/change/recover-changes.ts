/** Finds and ends the changes that a killed process left behind. */
import { attempt } from '../worktree.ts'
import { type FoundRecord, findRecords } from './change-record.ts'
import { type ChangeContext, finishChange, undoChange } from './end-change.ts'
import { describeLeftFile, describeLeftovers, type LeftFile, type Leftovers } from './explain-change.ts'
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
export function findLeftovers({ tree, records }: ChangeContext): Leftovers {
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
