/** Performs the steps of a staged change in order. A file that is not as planned stops it. */
import type { BigIntStats } from 'node:fs'
import { errorCode } from '../../kit/fault.ts'
import { isSameFile } from '../../kit/files/disk.ts'
import { hostFileChanged } from '../faults.ts'
import { attempt, type Folder, lastPart, lstatIfExists, type OpenWorktree, parentPath } from '../worktree.ts'
import type { RecordedStep } from './change-record.ts'
import { isFileWith, snapshotName, stagedName } from './recovery-folder.ts'

/** The stats of each file before the first step, by path. Only these very files are moved aside. */
export type ExpectedFiles = ReadonlyMap<string, BigIntStats>

export type StepContext = { tree: OpenWorktree; recovery: Folder; seen: ExpectedFiles }

export function performStep(step: RecordedStep, index: number, performance: StepContext): void {
  if (step.do === 'remove_directory') return // done after the commit: an empty folder is no reason to undo the change
  const { tree, recovery, seen } = performance
  using folder = tree.enter(parentPath(step.path))
  if (folder === undefined) throw hostFileChanged({ path: step.path, problem: 'its folder no longer exists' })
  const place = folder.at(lastPart(step.path))
  if (step.do === 'replace' || step.do === 'remove') {
    const snapshot = recovery.at(snapshotName(index))
    moveAside(step, { place, snapshot, seen: seen.get(step.path) }, tree)
  }
  if (step.do === 'create' || step.do === 'replace')
    linkIntoPlace(step, { place, staged: recovery.at(stagedName(index)) }, tree)
  if (step.do === 'verify') requireFile(step, place, tree)
}

/** Checks every file again just before the commit: an editor may have a file open. */
export function confirmStep(step: RecordedStep, index: number, performance: Omit<StepContext, 'seen'>): void {
  const { tree, recovery } = performance
  if (step.do === 'replace' || step.do === 'remove') {
    requireFile(step, recovery.at(snapshotName(index)), tree)
  }
  if (step.do === 'remove' || step.do === 'remove_directory') return
  using folder = tree.enter(parentPath(step.path))
  if (folder === undefined) throw hostFileChanged({ path: step.path, problem: 'its folder no longer exists' })
  const place = folder.at(lastPart(step.path))
  if (step.do === 'verify') requireFile(step, place, tree)
  else requireOurs(step, { place, staged: recovery.at(stagedName(index)) }, tree)
}

/** Moves the file instead of copying and removing it: if another process replaced it, nothing is lost. */
function moveAside(
  { path }: { path: string },
  { place, snapshot, seen }: { place: string; snapshot: string; seen: BigIntStats | undefined },
  { disk }: OpenWorktree,
): void {
  const isThatFile = (found: BigIntStats | undefined) => found?.isFile() === true && isSameFile(found, seen)
  attempt(path, () => {
    if (!isThatFile(lstatIfExists(place, disk))) throw hostFileChanged({ path, problem: 'it was replaced' })
    disk.renameSync(place, snapshot)
    if (!isThatFile(lstatIfExists(snapshot, disk))) throw hostFileChanged({ path, problem: 'it was replaced' })
  })
}

function linkIntoPlace(
  step: { path: string },
  { place, staged }: { place: string; staged: string },
  { disk }: OpenWorktree,
): void {
  const { path } = step
  attempt(path, () => {
    try {
      disk.linkSync(staged, place) // unlike rename, fails when the name is taken
    } catch (error) {
      throw errorCode(error) === 'EEXIST' ? hostFileChanged({ path, problem: 'it was created' }, error) : error
    }
  })
}

function requireFile(
  { path, expects }: { path: string; expects: string },
  place: string,
  { disk }: OpenWorktree,
): void {
  if (!isFileWith(expects, place, disk)) throw hostFileChanged({ path, problem: 'it was edited' })
}

function requireOurs(
  { path, gives }: { path: string; gives: string },
  { place, staged }: { place: string; staged: string },
  { disk }: OpenWorktree,
): void {
  const put = lstatIfExists(place, disk)
  const isOurs = put !== undefined && isSameFile(put, lstatIfExists(staged, disk)) && isFileWith(gives, place, disk)
  if (!isOurs) throw hostFileChanged({ path, problem: 'it was changed right after drover wrote it' })
}
