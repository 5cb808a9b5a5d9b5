/**
 * The two ways in which a change ends: everything as it was, or nothing left of how it was. Both look at what is there
 * and not at how far somebody came, so they can be done by another process, and again after being cut off anywhere.
 */

import { Fault } from '../../kit/fault.ts'
import { isSameFile } from '../../kit/files/disk.ts'
import { type Folder, look, nameOf, parentOf, reasonOf, removeFolder, type Worktree } from '../worktree.ts'
import type { ChangeRecord } from './change-record.shape.ts'
import { type RecordedStep, recordPath } from './change-record.ts'
import type { Remains } from './explain-change.ts'
import { isFileWith, keptName, recoveryName, stagedName } from './recovery-folder.ts'

/** The worktree that is changed, and the directory that has the records of its changes. */
export type Site = { readonly tree: Worktree; readonly records: string }

/** Puts everything back; gives what could not be, and is kept instead. */
export function undoChange(record: ChangeRecord, site: Site): Remains[] {
  return endChange(record, site, { end: undoStep, empty: record.folders.toReversed() })
}

/** Does away with what was taken away; gives what cannot be, because it is no longer what was taken away. */
export function finishChange(record: ChangeRecord, site: Site): Remains[] {
  const directories = record.steps.filter((step) => step.do === 'remove_directory')
  return endChange(record, site, { end: finishStep, empty: directories.map(({ path }) => path) })
}

/** Ends one step; gives the reason why it cannot be ended. */
type EndStep = (trace: Trace) => string | undefined

/** How steps are ended, and the folders that go with them if they are empty. */
type Way = { end: EndStep; empty: readonly string[] }

function endChange(record: ChangeRecord, site: Site, { end, empty }: Way): Remains[] {
  const name = recoveryName(record.id)
  const path = recordPath(site.records, record.id)
  try {
    const remains = endSteps(record, site, end)
    for (const folder of empty) removeFolder(site.tree, folder) // one that is not empty is somebody's by now
    const problem = removeFolder(site.tree, name)
    if (problem === undefined) return [...remains, ...dropRecord(path, site.tree)]
    return remains.length > 0 ? remains : [{ path: name, aside: { artifact: name, holds: 'all' }, problem }]
  } catch (error) {
    if (!(error instanceof Fault)) throw error
    return [{ path: name, aside: { artifact: name, holds: 'all' }, problem: error.message }]
  }
}

/** One step, the files that it may have left in the recovery folder, and the change whose step it is. */
type Trace = { step: RecordedStep; index: number; id: string; staged: string; kept: string; tree: Worktree }

/** In reverse: what can be called goes before what it needs. A step that cannot be ended does not keep others from it. */
function endSteps({ id, steps }: ChangeRecord, { tree }: Site, end: EndStep): Remains[] {
  using recovery = tree.enter(recoveryName(id))
  if (recovery === undefined) return []
  return steps
    .map((step, index): Trace => {
      const [staged, kept] = [recovery.at(stagedName(index)), recovery.at(keptName(index))]
      return { step, index, id, staged, kept, tree }
    })
    .toReversed()
    .flatMap((trace) => {
      const problem = endStep(trace, end)
      return problem === undefined ? [] : remainsOf(trace, problem)
    })
}

function endStep(trace: Trace, end: EndStep): string | undefined {
  try {
    return end(trace)
  } catch (error) {
    return reasonOf(error)
  }
}

/** What is left of a step in the recovery folder, or the step alone. */
function remainsOf({ step, index, id, staged, kept, tree }: Trace, problem: string): Remains[] {
  const { path } = step
  const isThere = (place: string) => look(place, tree.disk) !== undefined
  const remains = (name: string, holds: 'before' | 'after'): Remains[] => [
    { path, aside: { artifact: `${recoveryName(id)}/${name}`, holds }, problem },
  ]
  const left = [
    ...(isThere(kept) ? remains(keptName(index), 'before') : []),
    ...(isThere(staged) ? remains(stagedName(index), 'after') : []),
  ]
  return left.length > 0 ? left : [{ path, problem }]
}

function undoStep(trace: Trace): string | undefined {
  const { step, staged, kept, tree } = trace
  const [put, original] = [look(staged, tree.disk), look(kept, tree.disk)]
  // With one name only, what was staged is nowhere else.
  const isInPlace = original !== undefined || (put !== undefined && put.nlink > 1n)
  using folder = isInPlace ? tree.enter(parentOf(step.path)) : undefined
  if (folder === undefined && original !== undefined) return 'its folder is gone'
  const problem = folder && (takeBack(folder, trace) ?? giveBack(folder, trace))
  folder?.sync()
  if (put !== undefined) tree.disk.unlinkSync(staged)
  return problem
}

/** Takes away what drover put there, unless somebody made it their own. */
function takeBack(folder: Folder, { step, staged, tree }: Trace): string | undefined {
  const { disk } = tree
  const place = folder.at(nameOf(step.path))
  const there = look(place, disk)
  if (there === undefined || !isSameFile(there, look(staged, disk))) return undefined
  if (!isFileWith(step.gives, place, disk)) return 'it was edited after drover had written it'
  disk.unlinkSync(place)
  return undefined
}

/** Puts the original back where nothing is now. */
function giveBack(folder: Folder, { step, kept, tree }: Trace): string | undefined {
  const place = folder.at(nameOf(step.path))
  const [there, original] = [look(place, tree.disk), look(kept, tree.disk)]
  if (original === undefined) return undefined
  if (there === undefined) moveBack({ place, kept, isFile: original.isFile() }, tree)
  // It was put back, and only its second name is left.
  else if (isSameFile(there, original)) tree.disk.unlinkSync(kept)
  else return 'something else is there now'
  return undefined
}

/** The file itself returns, with its mode, owner and times. A link fails where a rename would replace what is new there. */
function moveBack({ place, kept, isFile }: { place: string; kept: string; isFile: boolean }, { disk }: Worktree): void {
  if (isFile) {
    disk.linkSync(kept, place)
    disk.unlinkSync(kept)
  } else disk.renameSync(kept, place)
}

function finishStep({ step, staged, kept, tree }: Trace): string | undefined {
  const { disk } = tree
  if (look(staged, disk) !== undefined) disk.unlinkSync(staged)
  if (look(kept, disk) === undefined) return undefined
  const isAsTaken = isFileWith(step.expects, kept, disk)
  if (!isAsTaken) return 'it was edited after drover had put it aside'
  disk.unlinkSync(kept)
  return undefined
}

/** Last of all: while there is something left to end, the record says what. */
function dropRecord(path: string, tree: Worktree): Remains[] {
  try {
    using root = tree.enter('')
    root?.sync()
    if (look(path, tree.disk) !== undefined) tree.disk.unlinkSync(path)
    return []
  } catch (error) {
    return [{ path, problem: reasonOf(error) }]
  }
}
