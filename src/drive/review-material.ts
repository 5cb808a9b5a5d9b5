/** Gathers what a reviewer sees. A reviewer may have no shell, and must not trust one that an agent has prepared. */
import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { patchWorktree } from '../workspace/worktrees/diff-worktree.ts'
import { checkResults } from './decide/check-results.ts'
import { type DriveContext, readDriveState, workDirectory } from './drive-context.ts'
import { flagsOfRun } from './evidence/repository-flags.ts'
import { describeReview, isTooLong } from './prompt/describe-review.ts'

/** Known to git without being stored. */
const EMPTY_TREE = '4b825dc642cb6eb9a060e54bf8d69288fbee4904'

/** The part of the prompt that shows the work. A long difference is put into a file, until `removeReviewFiles`. */
export async function readReviewMaterial(context: DriveContext): Promise<string> {
  const { runs } = context
  const state = readDriveState(context)
  const start = state.attempts[0]?.tree.head ?? 'HEAD'
  const base = start === 'unborn' ? EMPTY_TREE : start
  const { files, patch, isCut } = await patchWorktree({ ...runs, base })
  return describeReview({
    files,
    patch,
    isCut,
    file: isTooLong(patch) ? writePatch(context, patch) : undefined,
    checks: checkResults(state),
    flags: flagsOfRun(state),
  })
}

/** In the worktree, because some agents read nothing else. Git ignores it by its own file, so it is no part of the work. */
function writePatch(context: DriveContext, patch: string): string {
  removeReviewFiles(context)
  const folder = folderOf(context)
  const root = join(workDirectory(context), folder)
  // Not if it is there again: an agent that still runs may have made it a link.
  mkdirSync(root, { mode: 0o755 })
  writeFileSync(join(root, '.gitignore'), '*\n', { flag: 'wx', mode: 0o444 })
  writeFileSync(join(root, 'work.patch'), patch, { flag: 'wx', mode: 0o444 })
  return `${folder}/work.patch`
}

/** Removes what an earlier attempt left, even if its driver was killed, so that no agent finds a file that it could change. */
export function removeReviewFiles(context: DriveContext): void {
  rmSync(join(workDirectory(context), folderOf(context)), { recursive: true, force: true })
}

function folderOf({ runId }: Pick<DriveContext, 'runId'>): string {
  return `.drover-review-${runId.slice(0, 8)}`
}
