/**
 * A change ends in one of two ways: it is undone, or its old files are deleted. Both depend only on the files that are
 * there, not on how far the change came. So another process can do it, and can repeat it after being killed.
 */

import { Fault } from '../../kit/fault.ts'
import { isSameFile } from '../../kit/files/disk.ts'
import {
  describeError,
  type Folder,
  lastPart,
  lstatIfExists,
  type OpenWorktree,
  parentPath,
  removeFolder,
} from '../worktree.ts'
import type { ChangeRecord } from './change-record.shape.ts'
import { type RecordedStep, recordPath } from './change-record.ts'
import type { LeftFile } from './explain-change.ts'
import { isFileWith, recoveryName, snapshotName, stagedName } from './recovery-folder.ts'

/** The worktree to change, and the directory with its change records. */
export type ChangeContext = { readonly tree: OpenWorktree; readonly records: string }

/** Restores every file. Returns what could not be restored. */
export function undoChange(record: ChangeRecord, context: ChangeContext): LeftFile[] {
  return endChange(record, context, { end: undoStep, emptyFolders: record.folders.toReversed() })
}

/** Deletes the old files. Returns those that were edited meanwhile, which are kept. */
export function finishChange(record: ChangeRecord, context: ChangeContext): LeftFile[] {
  const directories = record.steps.filter((step) => step.do === 'remove_directory')
  return endChange(record, context, { end: finishStep, emptyFolders: directories.map(({ path }) => path) })
}

/** Ends one step. Returns the reason if that fails. */
type EndStep = (trace: StepTrace) => string | undefined

/** How to end each step, and the folders to remove if they are empty. */
type EndOptions = { end: EndStep; emptyFolders: readonly string[] }

function endChange(record: ChangeRecord, context: ChangeContext, { end, emptyFolders }: EndOptions): LeftFile[] {
  const name = recoveryName(record.id)
  const path = recordPath(context.records, record.id)
  try {
    const left = endSteps(record, context, end)
    for (const folder of emptyFolders) removeFolder(context.tree, folder) // a folder that is not empty holds files of the user
    const problem = removeFolder(context.tree, name)
    if (problem === undefined) return [...left, ...removeRecord(path, context.tree)]
    return left.length > 0 ? left : [{ path: name, aside: { artifact: name, holds: 'all' }, problem }]
  } catch (error) {
    if (!(error instanceof Fault)) throw error
    return [{ path: name, aside: { artifact: name, holds: 'all' }, problem: error.message }]
  }
}

/** One step of a change, and the files that it may have left in the recovery folder. */
type StepTrace = { step: RecordedStep; index: number; id: string; staged: string; snapshot: string; tree: OpenWorktree }

/** In reverse order, so that a callable goes before its supports. A step that fails does not stop the others. */
function endSteps({ id, steps }: ChangeRecord, { tree }: ChangeContext, end: EndStep): LeftFile[] {
  using recovery = tree.enter(recoveryName(id))
  if (recovery === undefined) return []
  return steps
    .map((step, index): StepTrace => {
      const [staged, snapshot] = [recovery.at(stagedName(index)), recovery.at(snapshotName(index))]
      return { step, index, id, staged, snapshot, tree }
    })
    .toReversed()
    .flatMap((trace) => {
      const problem = endStep(trace, end)
      return problem === undefined ? [] : listLeftFiles(trace, problem)
    })
}

function endStep(trace: StepTrace, end: EndStep): string | undefined {
  try {
    return end(trace)
  } catch (error) {
    return describeError(error)
  }
}

/** The files of a failed step in the recovery folder, or its path if there are none. */
function listLeftFiles({ step, index, id, staged, snapshot, tree }: StepTrace, problem: string): LeftFile[] {
  const { path } = step
  const isThere = (place: string) => lstatIfExists(place, tree.disk) !== undefined
  const leftFile = (name: string, holds: 'before' | 'after'): LeftFile[] => [
    { path, aside: { artifact: `${recoveryName(id)}/${name}`, holds }, problem },
  ]
  const left = [
    ...(isThere(snapshot) ? leftFile(snapshotName(index), 'before') : []),
    ...(isThere(staged) ? leftFile(stagedName(index), 'after') : []),
  ]
  return left.length > 0 ? left : [{ path, problem }]
}

function undoStep(trace: StepTrace): string | undefined {
  const { step, staged, snapshot, tree } = trace
  const [put, original] = [lstatIfExists(staged, tree.disk), lstatIfExists(snapshot, tree.disk)]
  // A staged file with a single link was not put into place.
  const isInPlace = original !== undefined || (put !== undefined && put.nlink > 1n)
  using folder = isInPlace ? tree.enter(parentPath(step.path)) : undefined
  if (folder === undefined && original !== undefined) return 'its folder no longer exists'
  const problem = folder && (removeWritten(folder, trace) ?? restoreOriginal(folder, trace))
  folder?.sync()
  if (put !== undefined) tree.disk.unlinkSync(staged)
  return problem
}

/** Removes the file that drover wrote, unless it was edited or replaced. */
function removeWritten(folder: Folder, { step, staged, tree }: StepTrace): string | undefined {
  const { disk } = tree
  const place = folder.at(lastPart(step.path))
  const there = lstatIfExists(place, disk)
  if (there === undefined || !isSameFile(there, lstatIfExists(staged, disk))) return undefined
  if (!isFileWith(step.gives, place, disk)) return 'it was edited after drover wrote it'
  disk.unlinkSync(place)
  return undefined
}

/** Puts the original back if nothing is at its path now. */
function restoreOriginal(folder: Folder, { step, snapshot, tree }: StepTrace): string | undefined {
  const place = folder.at(lastPart(step.path))
  const [there, original] = [lstatIfExists(place, tree.disk), lstatIfExists(snapshot, tree.disk)]
  if (original === undefined) return undefined
  if (there === undefined) moveBack({ place, snapshot, isFile: original.isFile() }, tree)
  // The original is back already; only its link in the recovery folder is left.
  else if (isSameFile(there, original)) tree.disk.unlinkSync(snapshot)
  else return 'another file is there now'
  return undefined
}

/** Moves the file itself, with its mode, owner and times. Unlike rename, link does not replace a new file at the path. */
function moveBack(
  { place, snapshot, isFile }: { place: string; snapshot: string; isFile: boolean },
  { disk }: OpenWorktree,
): void {
  if (isFile) {
    disk.linkSync(snapshot, place)
    disk.unlinkSync(snapshot)
  } else disk.renameSync(snapshot, place)
}

function finishStep({ step, staged, snapshot, tree }: StepTrace): string | undefined {
  const { disk } = tree
  if (lstatIfExists(staged, disk) !== undefined) disk.unlinkSync(staged)
  if (lstatIfExists(snapshot, disk) === undefined) return undefined
  const isAsTaken = isFileWith(step.expects, snapshot, disk)
  if (!isAsTaken) return 'it was edited after drover moved it aside'
  disk.unlinkSync(snapshot)
  return undefined
}

/** The record goes last: until everything is done, it says what is left to do. */
function removeRecord(path: string, tree: OpenWorktree): LeftFile[] {
  try {
    using root = tree.enter('')
    root?.sync()
    if (lstatIfExists(path, tree.disk) !== undefined) tree.disk.unlinkSync(path)
    return []
  } catch (error) {
    return [{ path, problem: describeError(error) }]
  }
}
