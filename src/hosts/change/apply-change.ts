/**
 * Does a plan as a whole or not at all. First everything is looked at, then every new file is written into a folder of
 * its own and the whole change put on record; only then do names in the repository change, one step after the other,
 * none of which destroys anything. The change is committed when its record says so. A failure before that undoes it, and
 * so does the next process if this one is killed.
 */
import { Fault } from '../../kit/fault.ts'
import { fileWriteFailed } from '../../kit/faults.ts'
import { hostPathBlocked } from '../faults.ts'
import type { Ending, Plan } from '../plan/plan.ts'
import { makeFolder, parentOf, reasonOf, type Worktree } from '../worktree.ts'
import type { ChangeRecord } from './change-record.shape.ts'
import { writeRecord } from './change-record.ts'
import { lookAhead } from './check-preconditions.ts'
import { finishChange, type Site, undoChange } from './end-change.ts'
import { explainRemains, type Remains } from './explain-change.ts'
import { confirmStep, performStep, type Seen } from './perform-steps.ts'
import { openRecovery, recoveryName, stageFiles } from './recovery-folder.ts'

/** How it ended, and why it did not end well. */
export type Applied = Ending & { readonly problem?: string }

/** `id` is a name that no change has had before: 32 hexadecimal digits. */
export function applyChange(plan: Plan, site: Site & { readonly id: string }): Applied {
  const { tree } = site
  let looked: ReturnType<typeof lookAhead>
  try {
    requireRoot(tree)
    looked = lookAhead(plan, site)
  } catch (error) {
    return { outcome: 'not_committed', problem: reasonOf(error) }
  }
  const { record, seen } = looked
  let outcome: 'not_committed' | 'rolled_back' = 'not_committed'
  try {
    writeRecord(record, { directory: site.records, disk: tree.disk })
    stageFiles(plan, record, tree)
    outcome = 'rolled_back'
    performAll(record, { tree, seen })
  } catch (error) {
    return undo({ record, error, outcome }, site)
  }
  return commit(record, site)
}

function performAll(record: ChangeRecord, { tree, seen }: { tree: Worktree; seen: Seen }): void {
  using recovery = openRecovery(record.id, tree)
  for (const folder of record.folders) makeFolder(tree, folder)
  for (const [index, step] of record.steps.entries()) performStep(step, index, { tree, recovery, seen })
  for (const [index, step] of record.steps.entries()) confirmStep(step, index, { tree, recovery })
  requireRoot(tree)
  syncFolders(record, tree)
  recovery.sync()
}

/** Once for all steps: until the record says committed, either state of a name can be undone. */
function syncFolders({ folders, steps }: ChangeRecord, tree: Worktree): void {
  const files = steps.filter((step) => step.do !== 'remove_directory' && step.do !== 'verify')
  for (const path of new Set([...folders, ...files.map((step) => step.path)].map(parentOf))) {
    using folder = tree.enter(path)
    folder?.sync()
  }
}

function commit(record: ChangeRecord, site: Site): Applied {
  const { tree, records } = site
  try {
    writeRecord({ ...record, phase: 'committed' }, { directory: records, disk: tree.disk })
  } catch (error) {
    if (!mayBeWritten(error)) return undo({ record, error, outcome: 'rolled_back' }, site)
    const problem = `${error.message}; run the command again, which finishes or undoes the change`
    return { outcome: 'ambiguous', problem, recoveryArtifacts: [recoveryName(record.id)] }
  }
  const remains = finishChange(record, site)
  if (!tree.isInPlace()) return { ...endingOf(remains), outcome: 'ambiguous', problem: `${tree.root} was replaced` }
  if (remains.length === 0) return { outcome: 'committed' }
  return {
    ...endingOf(remains),
    outcome: 'committed',
    problem: 'not all that was taken away could be cleared away',
  }
}

function mayBeWritten(error: unknown): error is ReturnType<typeof fileWriteFailed> {
  const isOfWriting = error instanceof Fault && error.code === fileWriteFailed.code
  return isOfWriting && error.details.commitment === 'ambiguous'
}

type Undoing = { record: ChangeRecord; error: unknown; outcome: 'not_committed' | 'rolled_back' }

function undo({ record, error, outcome }: Undoing, site: Site): Applied {
  const remains = undoChange(record, site)
  const problem = reasonOf(error)
  const isAboutFile = ({ path }: Remains) => record.steps.some((step) => step.path === path)
  const isWhole = site.tree.isInPlace() && (outcome === 'not_committed' || !remains.some(isAboutFile))
  return { ...endingOf(remains), outcome: isWhole ? outcome : 'ambiguous', problem }
}

function endingOf(remains: readonly Remains[]): Omit<Ending, 'outcome'> {
  return {
    recoveryArtifacts: remains.flatMap(({ aside }) => aside?.artifact ?? []),
    warnings: remains.map(explainRemains),
  }
}

function requireRoot(tree: Worktree): void {
  if (!tree.isInPlace()) throw hostPathBlocked({ path: tree.root, problem: 'it was replaced' })
}
