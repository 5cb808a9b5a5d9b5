/** Changes that a killed process left behind: found, and ended. */

import { attempt } from '../worktree.ts'
import { type FoundRecord, findRecords } from './change-record.ts'
import { finishChange, type Site, undoChange } from './end-change.ts'
import { explainLeftovers, explainRemains, type Leftovers, type Remains } from './explain-change.ts'
import { isRecoveryName, recoveryName } from './recovery-folder.ts'

/** What became of them. */
export type Settled = {
  /** What keeps another change from being made, and what to do about it; none when everything could be ended. */
  readonly obstacles: readonly string[]
  /** What else a person should know. */
  readonly warnings: readonly string[]
  /** Files that are still put aside, from the root of the worktree. */
  readonly artifacts: readonly string[]
}

/** Looks, and changes nothing. While another process makes a change, it shows here too. */
export function findLeftovers({ tree, records }: Site): Leftovers {
  const found = findRecords({ directory: records, disk: tree.disk })
  const claimed = found.flatMap((each) => ('record' in each ? [recoveryName(each.record.id)] : []))
  using root = tree.enter('')
  const names = attempt('.', () => tree.disk.readdirSync(root?.at('.') ?? tree.root))
  return { records: found, unclaimed: names.filter((name) => isRecoveryName(name) && !claimed.includes(name)).sort() }
}

/**
 * Ends every change that has a record: undoes it, or clears up after it where it was committed. Safe at any time for whoever
 * holds the lock on changes. What no record tells of is left alone.
 */
export function settleChanges(site: Site): Settled {
  const settled = findRecords({ directory: site.records, disk: site.tree.disk }).map((found) => settle(found, site))
  return {
    obstacles: settled.flatMap(({ obstacles }) => obstacles),
    warnings: settled.flatMap(({ warnings }) => warnings),
    artifacts: settled.flatMap(({ artifacts }) => artifacts),
  }
}

function settle(found: FoundRecord, site: Site): Settled {
  if ('problem' in found) {
    const obstacles = explainLeftovers({ records: [found], unclaimed: [] }).map(({ says }) => says)
    return { obstacles, warnings: [], artifacts: [] }
  }
  const { record } = found
  const names = record.hosts.join(', ')
  if (record.phase === 'committed') {
    const remains = finishChange(record, site)
    return { obstacles: [], warnings: remains.map(explainRemains), artifacts: artifactsOf(remains) }
  }
  const remains = undoChange(record, site)
  const obstacles = remains.filter(({ aside }) => aside !== undefined).map(explainRemains)
  const notes = remains.filter(({ aside }) => aside === undefined).map(explainRemains)
  const undone = obstacles.length === 0 ? [`an earlier change of ${names} was cut off; it was undone first`] : []
  return { obstacles, warnings: [...undone, ...notes], artifacts: artifactsOf(remains) }
}

function artifactsOf(remains: readonly Remains[]): string[] {
  return remains.flatMap(({ aside }) => aside?.artifact ?? [])
}
