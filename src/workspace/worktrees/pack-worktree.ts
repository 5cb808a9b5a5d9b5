/** Carries the work of a worktree to a clone of its repository on another machine. No ref is needed for that. */
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type { WorkspaceIdentity } from '../../contract/workspace-identity.shape.ts'
import { digest } from '../../kit/digest.ts'
import { createFile } from '../../kit/files/write-file.ts'
import { gitFailed } from '../faults.ts'
import { askGit, askGitForOutput, type Git, SLOW_GIT_MS } from '../git.ts'
import { type DiffOptions, withIndexOfFiles } from './diff-worktree.ts'
import { commitMerge } from './try-merge.ts'

export type PackedWork = {
  /** The commit that is checked out. */
  readonly head: string
  /** A commit on top of it, of all files as they are. */
  readonly commit: string
  /** Both, with everything that the base does not have. */
  readonly pack: Buffer
}

/** Files that git ignores are left out. Nothing changes. Throws a fault of git, also if there is too much. */
export async function packWorktree(options: DiffOptions): Promise<PackedWork> {
  const { signal, base, workspace } = options
  const around = { directory: workspace.worktree_root, signal }
  return await withIndexOfFiles(options, async (git) => {
    const ask = async (args: readonly [string, ...string[]], stdin?: string) =>
      await askGitForOutput(git, { ...around, args, stdin })
    const head = toText(await ask(['rev-parse', '--verify', 'HEAD']))
    const tree = toText(await ask(['write-tree']))
    const commit = await commitMerge(git, around, { tree, parents: [head], message: 'Work in progress' })
    const pack = await ask(['pack-objects', '--revs', '--stdout', '--quiet'], `${commit}\n^${base}\n`)
    return { head, commit, pack }
  })
}

type Repository = {
  readonly git: Git
  readonly workspace: Pick<WorkspaceIdentity, 'worktree_root' | 'git_common_dir'>
  readonly signal: AbortSignal
}

export async function hasCommit({ git, workspace, signal }: Repository, commit: string): Promise<boolean> {
  const args = ['cat-file', '-e', `${commit}^{commit}`] as const
  return (await askGit(git, { directory: workspace.worktree_root, args, signal })).code === 0
}

/** Adds the objects, and the branch on its commit. Throws a fault of git if something is missing, or if there is another such branch. */
export async function unpackBranch(
  { git, workspace, signal }: Repository,
  { branch, head, commit, pack }: PackedWork & { readonly branch: string },
): Promise<void> {
  const ask = async (args: readonly [string, ...string[]]) =>
    await askGitForOutput({ ...git, timeoutMs: SLOW_GIT_MS }, { directory: workspace.worktree_root, args, signal })
  const path = join(workspace.git_common_dir, 'objects', 'pack', `pack-${digest(pack).slice(-40)}.pack`)
  if (!existsSync(path)) createFile({ path, bytes: pack, mode: 0o444 })
  await ask(['index-pack', path])
  await ask(['rev-list', '--objects', '--quiet', commit])
  const ref = `refs/heads/${branch}`
  const found = await askGit(git, {
    directory: workspace.worktree_root,
    args: ['rev-parse', '--verify', '--quiet', ref],
    signal,
  })
  const known = toText(found.stdout)
  if (known === head) return
  if (known !== '') throw gitFailed({ command: 'git update-ref', problem: `there is another branch ${branch} already` })
  await ask(['update-ref', ref, head])
}

/** Puts the files of the commit into the worktree, which stays on its branch. */
export async function putWork(
  { git, workspace, signal }: Repository,
  { commit }: Pick<PackedWork, 'commit'>,
): Promise<void> {
  for (const args of [
    ['read-tree', '--reset', '-u', commit],
    ['reset', '--mixed', '--quiet'],
  ] as const)
    await askGitForOutput({ ...git, timeoutMs: SLOW_GIT_MS }, { directory: workspace.worktree_root, args, signal })
}

function toText(output: Buffer): string {
  return output.toString('latin1').trim()
}
