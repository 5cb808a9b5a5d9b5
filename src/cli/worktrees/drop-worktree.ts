/** Commits and drops the work in worktrees that drover has created. */
import type { Git } from '../../workspace/git.ts'
import { type Committed, commitWorktree } from '../../workspace/worktrees/commit-worktree.ts'
import { pinToWorktree } from '../../workspace/worktrees/pin-worktree.ts'
import { discardWorktree } from '../../workspace/worktrees/remove-worktree.ts'
import type { Worktree } from '../../workspace/worktrees/worktree-records.ts'
import { toOneLine } from '../output/printable.ts'

const SUBJECT_COLUMNS = 72

type Around = { git: Git; signal: AbortSignal }

/** Commits everything on the branch, with the first words of what the worktree was created for. */
export async function commitAll(worktree: Worktree, { git, signal }: Around): Promise<Committed> {
  const { path: directory, branch, title, label } = worktree
  const by = label === undefined ? '' : `\n\nMade by ${label} in drover compare.`
  const message = `${toOneLine(title, SUBJECT_COLUMNS) || 'Changes'}${by}\n`
  return await commitWorktree({ git: pinToWorktree(git, worktree), directory, branch, message, signal })
}

/** Removes a worktree and its branch. What it holds is committed first, so that the commit can still be found. */
export async function dropWorktree(
  worktree: Worktree & { isMissing?: boolean },
  around: Around,
): Promise<{ commit?: string }> {
  const head = worktree.isMissing === true ? worktree.base : (await commitAll(worktree, around)).head
  await discardWorktree({ ...around, worktree })
  return head === worktree.base ? {} : { commit: head }
}
