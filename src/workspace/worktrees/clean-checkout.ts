/** A clean checkout of a commit, beside a worktree that drover created, for as long as something is checked in it. */

import { mkdirSync, rmSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { errorCode, Fault } from '../../kit/fault.ts'
import { namesIn } from '../../kit/files/record-file.ts'
import { randomIds } from '../../kit/ids.ts'
import { worktreeNotCreated } from '../faults.ts'
import { askGit, askGitForOutput, type Git, gitErrorLine, SLOW_GIT_MS } from '../git.ts'
import { readIndex } from '../hidden-paths.ts'
import { findRecordAt, type Worktree } from '../worktree-records.ts'
import { pinToWorktree } from './pin-worktree.ts'

const PREFIX = 'clean-'

export type CheckoutOptions = {
  readonly git: Git
  readonly worktree: Pick<Worktree, 'path' | 'git_common_dir'>
  readonly commit: string
  readonly signal: AbortSignal
}

export type CleanCheckout = {
  /** Its root. The parent belongs to drover. */
  readonly root: string
  readonly git: Git
}

/**
 * Has exactly the files of the commit, no branch, and its own index. It is removed after the work, and so is anything that a
 * killed process left behind. Throws `worktree_not_created`.
 */
export async function withCleanCheckout<T>(
  given: CheckoutOptions,
  work: (checkout: CleanCheckout) => Promise<T>,
): Promise<T> {
  const { path } = given.worktree
  // An agent may have configured others since.
  const filters = given.git.filters ?? findRecordAt(path)?.filters
  const options = { ...given, git: { ...given.git, filters } }
  await removeCheckouts(options)
  // A new name each time: processes of a driver that was killed may still write to the old one.
  const root = join(dirname(path), `${PREFIX}${randomIds.hex(2)}`, basename(path))
  try {
    await checkOut(options, root)
    const git = pinToWorktree(options.git, { ...options.worktree, path: root })
    return await work({ root, git })
  } finally {
    await removeCheckouts(options)
  }
}

async function checkOut({ git, worktree, commit, signal }: CheckoutOptions, root: string): Promise<void> {
  mkdirSync(dirname(root), { mode: 0o700 })
  const { git_common_dir: directory } = worktree
  const refuse = (problem: string, cause?: unknown) => worktreeNotCreated({ repository: directory, problem }, cause)
  try {
    const args = ['worktree', 'add', '--quiet', '--detach', root, commit] as const
    const { code, stderr } = await askGit({ ...git, timeoutMs: SLOW_GIT_MS }, { directory, args, signal })
    if (code !== 0) throw refuse(gitErrorLine(stderr))
  } catch (error) {
    throw error instanceof Fault && error.code.startsWith('git_') ? refuse(error.message, error) : error
  }
}

/** Removes every clean checkout beside the worktree. What cannot be removed is left to the next call. */
export async function removeCheckouts({ git, worktree }: Pick<CheckoutOptions, 'git' | 'worktree'>): Promise<void> {
  const { path, git_common_dir: directory } = worktree
  // With a separate signal: the caller's may be the reason for the removal.
  const { signal } = new AbortController()
  for (const parent of checkoutsBeside(path)) {
    const root = join(parent, basename(path))
    tryToRemove(root)
    const args = ['worktree', 'remove', '--force', '--force', root] as const
    await askGit(git, { directory, args, signal })
    // Last: if this process is killed, the next call finds by its name what git has to forget.
    tryToRemove(parent)
  }
}

function checkoutsBeside(path: string): string[] {
  const names = namesIn(dirname(path)).filter((name) => name.startsWith(PREFIX))
  return names.map((name) => join(dirname(path), name))
}

function tryToRemove(path: string): void {
  try {
    rmSync(path, { recursive: true, force: true, maxRetries: 3 })
  } catch (error) {
    if (errorCode(error) === undefined) throw error
  }
}

/** Files that are in a worktree and not in its commits: untracked, ignored, or hidden by a flag of the index. */
export async function listUncommitted(git: Git, around: { directory: string; signal: AbortSignal }): Promise<string[]> {
  // Directories without a tracked file are one entry.
  const args = ['ls-files', '-z', '--others', '--directory'] as const
  const others = (await askGitForOutput(git, { ...around, args })).toString('utf8').split('\0').filter(Boolean)
  const { hidden } = await readIndex(git, around)
  return [...others, ...hidden.map(({ path }) => path)]
}
