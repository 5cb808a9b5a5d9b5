/** Commits and drops the work in worktrees that drover has created. */
import type { Git } from '../git.ts'
import type { Worktree } from '../worktree-records.ts'
import { type Committed, commitWorktree } from './commit-worktree.ts'
import { pinToWorktree } from './pin-worktree.ts'
import { discardWorktree } from './remove-worktree.ts'

const SUBJECT_CHARACTERS = 72

type Around = { git: Git; signal: AbortSignal }

/** Commits everything on the branch, with the first words of what the worktree was created for. */
export async function commitAll(worktree: Worktree, { git, signal }: Around): Promise<Committed> {
  const { path: directory, branch, title, label } = worktree
  const by = label === undefined ? '' : `\n\nMade by ${label} in drover compare.`
  const message = `${toSubject(title) || 'Changes'}${by}\n`
  return await commitWorktree({ git: pinToWorktree(git, worktree), directory, branch, message, signal })
}

function toSubject(title: string): string {
  const characters = [...title.replaceAll(/[\p{Cc}\p{Cf}\s]+/gu, ' ').trim()]
  if (characters.length <= SUBJECT_CHARACTERS) return characters.join('')
  return `${characters.slice(0, SUBJECT_CHARACTERS - 1).join('')}…`
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
