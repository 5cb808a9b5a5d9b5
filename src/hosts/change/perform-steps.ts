/** The steps of a change that is staged, done one after the other. Whatever is not as planned stops them. */
import type { BigIntStats } from 'node:fs'
import { errorCode } from '../../kit/fault.ts'
import { isSameFile } from '../../kit/files/disk.ts'
import { hostFileChanged } from '../faults.ts'
import { attempt, type Folder, look, nameOf, parentOf, type Worktree } from '../worktree.ts'
import type { RecordedStep } from './change-record.ts'
import { isFileWith, keptName, stagedName } from './recovery-folder.ts'

/** The files that were looked at before the first step, by path: what is taken away must be one of them. */
export type Seen = ReadonlyMap<string, BigIntStats>

export type Performance = { tree: Worktree; recovery: Folder; seen: Seen }

export function performStep(step: RecordedStep, index: number, performance: Performance): void {
  if (step.do === 'remove_directory') return // when all is committed: an empty folder is no reason to undo anything
  const { tree, recovery, seen } = performance
  using folder = tree.enter(parentOf(step.path))
  if (folder === undefined) throw hostFileChanged({ path: step.path, problem: 'its folder is gone' })
  const place = folder.at(nameOf(step.path))
  if (step.do === 'replace' || step.do === 'remove') {
    const kept = recovery.at(keptName(index))
    takeAway(step, { place, kept, seen: seen.get(step.path) }, tree)
  }
  if (step.do === 'create' || step.do === 'replace')
    putInPlace(step, { place, staged: recovery.at(stagedName(index)) }, tree)
  if (step.do === 'verify') requireFile(step, place, tree)
}

/** Looks once more at everything, just before it is committed: editors keep files open, and people are quick. */
export function confirmStep(step: RecordedStep, index: number, performance: Omit<Performance, 'seen'>): void {
  const { tree, recovery } = performance
  if (step.do === 'replace' || step.do === 'remove') {
    requireFile(step, recovery.at(keptName(index)), tree)
  }
  if (step.do === 'remove' || step.do === 'remove_directory') return
  using folder = tree.enter(parentOf(step.path))
  if (folder === undefined) throw hostFileChanged({ path: step.path, problem: 'its folder is gone' })
  const place = folder.at(nameOf(step.path))
  if (step.do === 'verify') requireFile(step, place, tree)
  else requireOurs(step, { place, staged: recovery.at(stagedName(index)) }, tree)
}

/** Moved, not copied and removed: whatever else somebody puts there is not lost, and its bytes are looked at last. */
function takeAway(
  { path }: { path: string },
  { place, kept, seen }: { place: string; kept: string; seen: BigIntStats | undefined },
  { disk }: Worktree,
): void {
  const isThatFile = (found: BigIntStats | undefined) => found?.isFile() === true && isSameFile(found, seen)
  attempt(path, () => {
    if (!isThatFile(look(place, disk))) throw hostFileChanged({ path, problem: 'it was replaced' })
    disk.renameSync(place, kept)
    if (!isThatFile(look(kept, disk))) throw hostFileChanged({ path, problem: 'it was replaced' })
  })
}

function putInPlace(
  step: { path: string },
  { place, staged }: { place: string; staged: string },
  { disk }: Worktree,
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

function requireFile({ path, expects }: { path: string; expects: string }, place: string, { disk }: Worktree): void {
  if (!isFileWith(expects, place, disk)) throw hostFileChanged({ path, problem: 'it was edited' })
}

function requireOurs(
  { path, gives }: { path: string; gives: string },
  { place, staged }: { place: string; staged: string },
  { disk }: Worktree,
): void {
  const put = look(place, disk)
  const isOurs = put !== undefined && isSameFile(put, look(staged, disk)) && isFileWith(gives, place, disk)
  if (!isOurs) throw hostFileChanged({ path, problem: 'it was changed as soon as it was written' })
}
