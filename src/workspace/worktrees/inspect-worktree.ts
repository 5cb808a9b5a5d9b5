/** Finds out whether anything would be lost with a worktree. */
import { lstatSync } from 'node:fs'
import { join } from 'node:path'
import type { Git } from '../git.ts'
import { readIndex } from '../hidden-paths.ts'
import { hasEntries, type Worktree } from '../worktree-records.ts'
import { askStatus, type ChangedPath } from '../worktree-status.ts'
import { findGitLinks } from './add-all.ts'
import { findTip, isAncestor } from './branch-checkouts.ts'
import { isLinkedTo, pinToWorktree } from './pin-worktree.ts'

export type WorktreeFacts = {
  /** The directory of the checkout is there. */
  exists: boolean
  /** It has a `.git`. */
  hasGit: boolean
  /** Changed, untracked and hidden paths. Ignored files do not count. */
  changed: readonly ChangedPath[]
  /** Undefined if the branch was deleted. */
  branchTip: string | undefined
  /** The checked-out commit. */
  head: string | undefined
  /** The branch contains that commit. */
  isHeadOnBranch: boolean
  /** Directories with separate repositories: submodules and clones. Their commits are not in this repository. */
  nestedRepositories: readonly string[]
  /** The index has links to commits of other repositories, empty or not. */
  hasGitLinks: boolean
}

/** Why a worktree has to stay. */
export type KeepReason = 'uncommitted_changes' | 'branch_missing' | 'commits_not_on_branch' | 'nested_repository'

/** Undefined if the branch holds everything. Pure. */
export function findKeepReason(facts: WorktreeFacts): KeepReason | undefined {
  if (!facts.exists) return undefined
  if (facts.nestedRepositories.length > 0) return 'nested_repository'
  if (facts.changed.length > 0) return 'uncommitted_changes'
  if (facts.branchTip === undefined) return 'branch_missing'
  return facts.isHeadOnBranch ? undefined : 'commits_not_on_branch'
}

const KEEP_TEXT: Readonly<Record<KeepReason, string>> = {
  uncommitted_changes: 'it has changes that are not committed',
  branch_missing: 'its branch was deleted',
  commits_not_on_branch: 'it has commits that are not on its branch',
  nested_repository: 'it contains another git repository',
}

export function describeKeepReason(reason: KeepReason): string {
  return KEEP_TEXT[reason]
}

export type InspectOptions = { git: Git; worktree: Worktree; signal: AbortSignal }

/** Throws a fault if git fails, for example because the repository is gone. */
export async function inspectWorktree(given: InspectOptions): Promise<WorktreeFacts> {
  const { worktree } = given
  const branchTip = await findBranchTip(given)
  if (!hasEntries(worktree.path)) return { ...MISSING, branchTip }
  const options = { ...given, git: pinToWorktree(given.git, worktree) }
  const around = { directory: worktree.path, signal: options.signal }
  const { hidden } = await readIndex(options.git, around)
  // What the index hides from git may be changed, and is not in a commit.
  const status = await askStatus(options.git, around)
  const changed = [...status.changed, ...hidden]
  const head = status.head === 'unborn' ? undefined : status.head
  const isKnown = head !== undefined && branchTip !== undefined
  const isHeadOnBranch = isKnown && (await isAncestor(options.git, around, [head, branchTip]))
  const links = await findGitLinks(options.git, around)
  const filled = links.filter((path) => hasEntries(join(worktree.path, path)))
  const hasGit = lstatSync(join(worktree.path, '.git'), { throwIfNoEntry: false }) !== undefined
  // Someone put a separate repository there.
  const replaced = hasGit && !isLinkedTo(options.git.pinned.git_dir, worktree.path) ? ['.git'] : []
  const nestedRepositories = [...replaced, ...findUntrackedRepositories(changed), ...filled]
  const hasGitLinks = links.length > 0
  return { exists: true, hasGit, changed, branchTip, head, isHeadOnBranch, nestedRepositories, hasGitLinks }
}

const MISSING = {
  exists: false,
  hasGit: false,
  changed: [],
  head: undefined,
  isHeadOnBranch: false,
  nestedRepositories: [],
  hasGitLinks: false,
}

/** Git lists a repository inside the worktree as one untracked path with a slash at its end. */
export function findUntrackedRepositories(changed: readonly ChangedPath[]): string[] {
  return changed.filter(({ category, path }) => category === 'untracked' && path.endsWith('/')).map(({ path }) => path)
}

/** Undefined if there is no such branch. */
export async function findBranchTip({ git, worktree, signal }: InspectOptions): Promise<string | undefined> {
  return await findTip(git, { directory: worktree.git_common_dir, signal }, `refs/heads/${worktree.branch}`)
}
