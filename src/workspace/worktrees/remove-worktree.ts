import { existsSync, readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { askGit, askGitForOutput, type Git, SLOW_GIT_MS } from '../git.ts'
import { deleteRecord, type Worktree } from '../worktree-records.ts'
import { removeCheckouts } from './clean-checkout.ts'
import { type Committed, commitWorktree } from './commit-worktree.ts'
import {
  findBranchTip,
  findKeepReason,
  type InspectOptions,
  inspectWorktree,
  type KeepReason,
} from './inspect-worktree.ts'
import { pinToWorktree } from './pin-worktree.ts'

export type Removal =
  | {
      is: 'removed'
      /** Undefined if the branch had no new commits and was deleted too. */
      branch: string | undefined
    }
  | { is: 'kept'; reason: KeepReason }

/** Removes a worktree if its branch holds everything in it, except ignored files. */
export async function removeWorktree(options: InspectOptions): Promise<Removal> {
  const { worktree } = options
  const facts = await inspectWorktree(options)
  const reason = findKeepReason(facts)
  if (reason !== undefined) return { is: 'kept', reason }
  // Git would refuse a directory without `.git`.
  if (!facts.hasGit) removeDirectory(worktree.path)
  // Git refuses all worktrees with links to other repositories, and one that is gone. Otherwise let it check once more.
  await unregister(options, { isForced: facts.hasGitLinks || !facts.hasGit })
  await removeCheckouts(options)
  deleteRecord(worktree)
  if (facts.branchTip === undefined) return { is: 'removed', branch: undefined }
  if (facts.branchTip !== worktree.base) return { is: 'removed', branch: worktree.branch }
  await deleteBranch(options, worktree.base)
  return { is: 'removed', branch: undefined }
}

/** Removes a worktree and its branch, with all changes. The repository may be gone. */
export async function discardWorktree(options: InspectOptions): Promise<void> {
  const { worktree } = options
  if (existsSync(worktree.git_common_dir)) {
    await dropCheckout(options)
    removeBranchLock(worktree)
    const tip = await findBranchTip(options)
    if (tip !== undefined) await deleteBranch(options, tip)
  }
  deleteRecord(worktree)
}

type Forgotten = { git: Git; worktree: Pick<Worktree, 'path' | 'directory' | 'git_common_dir'>; signal: AbortSignal }

/** Removes a worktree with all changes, and keeps its branch. */
export async function forgetWorktree(options: Forgotten): Promise<void> {
  await dropCheckout(options)
  deleteRecord(options.worktree)
}

async function dropCheckout(options: Forgotten): Promise<void> {
  const { worktree } = options
  await removeCheckouts(options)
  // A process that was killed may have created the checkout, under another name, and not moved it to its place.
  for (const path of new Set([worktree.path, ...foldersIn(worktree.directory)])) {
    // Before git forgets it: git would refuse a worktree whose `.git` was replaced.
    removeDirectory(path)
    await unregister({ ...options, worktree: { ...worktree, path } }, { isForced: true })
  }
}

function foldersIn(directory: string): string[] {
  if (!existsSync(directory)) return []
  const entries = readdirSync(directory, { withFileTypes: true })
  return entries.filter((entry) => entry.isDirectory()).map(({ name }) => join(directory, name))
}

/** A git that was killed while it created the branch has left it. The branch has no other user. */
function removeBranchLock({ git_common_dir: repository, branch }: Worktree): void {
  const lock = join(repository, 'refs', 'heads', `${branch}.lock`)
  if (existsSync(lock)) rmSync(lock)
}

function removeDirectory(path: string): void {
  rmSync(path, { recursive: true, force: true, maxRetries: 3 })
}

/** Removes the checkout, and git's record of it. With force, a worktree that git does not know is no failure. */
async function unregister({ git, worktree, signal }: Forgotten, { isForced }: { isForced: boolean }): Promise<void> {
  // Without force, git looks at the files of the worktree.
  const known = isForced ? git : pinToWorktree(git, worktree)
  const force = isForced ? ['--force', '--force'] : []
  const args = ['worktree', 'remove', ...force, worktree.path] as [string, ...string[]]
  const command = { directory: worktree.git_common_dir, args, signal }
  await (isForced ? askGit : askGitForOutput)({ ...known, timeoutMs: SLOW_GIT_MS }, command)
}

/** Fails if the branch does not point to `tip` any more. */
async function deleteBranch({ git, worktree, signal }: InspectOptions, tip: string): Promise<void> {
  const args = ['update-ref', '-d', `refs/heads/${worktree.branch}`, tip] as const
  await askGitForOutput(git, { directory: worktree.git_common_dir, args, signal })
}

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
