/**
 * Merges commits in a temporary repository, which uses the objects of the user's one: no branch and no worktree changes, and no
 * merge driver that the repository names is run.
 */

import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { askGit, askGitForOutput, type Git } from '../git.ts'
import { OWN_NAME } from './commit-worktree.ts'

export type MergeRepository = { readonly git: Git; readonly objects: string; readonly signal: AbortSignal }

export type MergeScratch = { readonly git: Git; readonly directory: string; readonly signal: AbortSignal }

/** New objects are thrown away, unless they `stay` in the user's repository. */
export async function withMergeScratch<T>(
  { git, objects, signal }: MergeRepository,
  { stay }: { stay: boolean },
  work: (scratch: MergeScratch) => Promise<T>,
): Promise<T> {
  const directory = mkdtempSync(join(tmpdir(), 'drover-merge-'))
  try {
    const used = stay ? { GIT_OBJECT_DIRECTORY: objects } : { GIT_ALTERNATE_OBJECT_DIRECTORIES: objects }
    const { pinned: _, ...rest } = git
    const env = { ...git.env, ...OWN_NAME }
    const args = ['init', '--quiet', '--bare', '--template='] as const
    await askGitForOutput({ ...rest, env, filters: [] }, { directory, args, signal })
    return await work({ git: { ...rest, env: { ...env, ...used }, filters: [] }, directory, signal })
  } finally {
    rmSync(directory, { recursive: true, force: true })
  }
}

/** The tree of a conflict has conflict markers in these files. */
export type TriedMerge =
  | { readonly is: 'clean'; readonly tree: string }
  | { readonly is: 'conflict'; readonly tree: string; readonly paths: readonly string[] }

const CLEAN = 0
const CONFLICT = 1

/** Undefined if this git cannot try it: before 2.38. */
export async function tryMerge(
  { git, directory, signal }: MergeScratch,
  head: string,
  commit: string,
): Promise<TriedMerge | undefined> {
  const args = ['merge-tree', '--write-tree', '--name-only', '--no-messages', '-z', head, commit] as const
  const { code, stdout } = await askGit(git, { directory, args, signal })
  const [tree = '', ...paths] = stdout.toString('utf8').split('\0').filter(Boolean)
  if (code === CLEAN) return { is: 'clean', tree }
  return code === CONFLICT ? { is: 'conflict', tree, paths } : undefined
}

type NewCommit = { readonly tree: string; readonly parents: readonly string[]; readonly message: string }

export async function commitTree(
  { git, directory, signal }: MergeScratch,
  { tree, parents, message }: NewCommit,
): Promise<string> {
  const args = ['commit-tree', tree, ...parents.flatMap((each) => ['-p', each]), '-m', message] as const
  const output = await askGitForOutput(git, { directory, args: [...args] as [string, ...string[]], signal })
  return output.toString('utf8').trim()
}

/** The same in the repository itself, with the name of its user. Neither a hook nor gpg is run. */
export async function commitMerge(
  git: Git,
  around: { readonly directory: string; readonly signal: AbortSignal },
  commit: NewCommit,
): Promise<string> {
  const { code } = await askGit(git, { ...around, args: ['var', 'GIT_COMMITTER_IDENT'] })
  return await commitTree({ git: code === 0 ? git : { ...git, env: { ...git.env, ...OWN_NAME } }, ...around }, commit)
}
