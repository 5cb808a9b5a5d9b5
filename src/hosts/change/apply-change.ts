/**
 * Applies a plan as a whole or not at all:
 * 1. check every precondition;
 * 2. write the change record, and stage every new file in the recovery folder;
 * 3. change names in the repository, step by step; no step destroys anything;
 * 4. mark the record as committed.
 * A failure before step 4 undoes the change. If this process is killed, the next one undoes it.
 */
import { Fault } from '../../kit/fault.ts'
import { fileWriteFailed } from '../../kit/faults.ts'
import { hostPathBlocked } from '../faults.ts'
import type { Plan, PlanEnding } from '../plan/plan.ts'
import { describeError, makeFolder, type OpenWorktree, parentPath } from '../worktree.ts'
import type { ChangeRecord } from './change-record.shape.ts'
import { writeRecord } from './change-record.ts'
import { checkPreconditions } from './check-preconditions.ts'
import { type ChangeContext, finishChange, undoChange } from './end-change.ts'
import { describeLeftFile, type LeftFile } from './explain-change.ts'
import { confirmStep, type ExpectedFiles, performStep } from './perform-steps.ts'
import { openRecovery, recoveryName, stageFiles } from './recovery-folder.ts'

/** `problem` says why the change failed, or what is left to clean up. */
export type Applied = PlanEnding & { readonly problem?: string }

/** `id` must be new: 32 random hexadecimal digits. */
export function applyChange(plan: Plan, context: ChangeContext & { readonly id: string }): Applied {
  const { tree } = context
  let looked: ReturnType<typeof checkPreconditions>
  try {
    requireRoot(tree)
    looked = checkPreconditions(plan, context)
  } catch (error) {
    return { outcome: 'not_committed', problem: describeError(error) }
  }
  const { record, seen } = looked
  let outcome: 'not_committed' | 'rolled_back' = 'not_committed'
  try {
    writeRecord(record, { directory: context.records, disk: tree.disk })
    stageFiles(plan, record, tree)
    outcome = 'rolled_back'
    performAll(record, { tree, seen })
  } catch (error) {
    return undo({ record, error, outcome }, context)
  }
  return commit(record, context)
}

function performAll(record: ChangeRecord, { tree, seen }: { tree: OpenWorktree; seen: ExpectedFiles }): void {
  using recovery = openRecovery(record.id, tree)
  for (const folder of record.folders) makeFolder(tree, folder)
  for (const [index, step] of record.steps.entries()) performStep(step, index, { tree, recovery, seen })
  for (const [index, step] of record.steps.entries()) confirmStep(step, index, { tree, recovery })
  requireRoot(tree)
  syncFolders(record, tree)
  recovery.sync()
}

/** Syncs once for all steps: until the record says committed, both states of a name can be undone. */
function syncFolders({ folders, steps }: ChangeRecord, tree: OpenWorktree): void {
  const files = steps.filter((step) => step.do !== 'remove_directory' && step.do !== 'verify')
  for (const path of new Set([...folders, ...files.map((step) => step.path)].map(parentPath))) {
    using folder = tree.enter(path)
    folder?.sync()
  }
}

function commit(record: ChangeRecord, context: ChangeContext): Applied {
  const { tree, records } = context
  try {
    writeRecord({ ...record, phase: 'committed' }, { directory: records, disk: tree.disk })
  } catch (error) {
    if (!mayBeWritten(error)) return undo({ record, error, outcome: 'rolled_back' }, context)
    const problem = `${error.message}; run the command again to finish or undo the change`
    return { outcome: 'ambiguous', problem, recoveryArtifacts: [recoveryName(record.id)] }
  }
  const left = finishChange(record, context)
  if (!tree.isInPlace()) return { ...toEnding(left), outcome: 'ambiguous', problem: `${tree.root} was replaced` }
  if (left.length === 0) return { outcome: 'committed' }
  return {
    ...toEnding(left),
    outcome: 'committed',
    problem: 'some of the old files could not be deleted',
  }
}

function mayBeWritten(error: unknown): error is ReturnType<typeof fileWriteFailed> {
  const isOfWriting = error instanceof Fault && error.code === fileWriteFailed.code
  return isOfWriting && error.details.commitment === 'ambiguous'
}

type Undoing = { record: ChangeRecord; error: unknown; outcome: 'not_committed' | 'rolled_back' }

function undo({ record, error, outcome }: Undoing, context: ChangeContext): Applied {
  const left = undoChange(record, context)
  const problem = describeError(error)
  const isAboutFile = ({ path }: LeftFile) => record.steps.some((step) => step.path === path)
  const isWhole = context.tree.isInPlace() && (outcome === 'not_committed' || !left.some(isAboutFile))
  return { ...toEnding(left), outcome: isWhole ? outcome : 'ambiguous', problem }
}

function toEnding(left: readonly LeftFile[]): Omit<PlanEnding, 'outcome'> {
  return {
    recoveryArtifacts: left.flatMap(({ aside }) => aside?.artifact ?? []),
    warnings: left.map(describeLeftFile),
  }
}

function requireRoot(tree: OpenWorktree): void {
  if (!tree.isInPlace()) throw hostPathBlocked({ path: tree.root, problem: 'it was replaced' })
}
