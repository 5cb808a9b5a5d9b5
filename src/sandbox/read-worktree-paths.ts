/** Reads from the disk what a worktree needs of its repository. */
import { closeSync, existsSync, mkdirSync, openSync, readdirSync, readFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import type { OwnGitPaths, WorktreePaths } from './sandbox-policy.ts'

/** As git names them; outside of a repository there is only the root. */
export type WorktreeDirectories = { root: string; git?: { directory: string; commonDirectory: string } }

export function readWorktreePaths({ root, git }: WorktreeDirectories): WorktreePaths {
  if (git === undefined) return { root }
  const { directory, commonDirectory } = git
  if (directory === commonDirectory) return { root, git: { commonDirectory } }
  return { root, git: { commonDirectory, own: readOwnPaths(directory, commonDirectory) } }
}

/**
 * Git replaces files by renaming, so a single ref cannot be mounted: the directory of the branch is writable, and all other
 * branches in it are mounted again, read-only.
 */
function readOwnPaths(gitDirectory: string, commonDirectory: string): OwnGitPaths {
  const branch = readBranch(gitDirectory)
  const objects = join(commonDirectory, 'objects')
  const ref = branch === undefined ? undefined : join(commonDirectory, branch)
  if (ref !== undefined) mkdirSync(dirname(ref), { recursive: true })
  const reflog = branch === undefined ? undefined : ensureReflog(join(commonDirectory, 'logs'), branch)
  ensureWorktreeConfig(gitDirectory, commonDirectory)
  return {
    writable: [gitDirectory, objects, ...(ref === undefined ? [] : [dirname(ref)]), ...(reflog ?? [])],
    readOnly: [
      ...['commondir', 'gitdir', 'config.worktree'].map((name) => join(gitDirectory, name)),
      // Packs hold the history, and `info` can name other stores of objects.
      ...['pack', 'info'].map((name) => join(objects, name)),
      ...(ref === undefined ? [] : neighboursOf(ref)),
    ].filter((path) => existsSync(path)),
  }
}

/** Undefined if the worktree is on no branch, or if its refs are in a table, which cannot be shared out. */
function readBranch(gitDirectory: string): string | undefined {
  const head = readFileSync(join(gitDirectory, 'HEAD'), 'utf8')
  return /^ref: (refs\/heads\/(?!\.invalid)(?!.*\.\.)[^\0\n]+)\n$/.exec(head)?.[1]
}

function neighboursOf(ref: string): string[] {
  const names = readdirSync(dirname(ref)).filter((name) => name !== basename(ref))
  return names.map((name) => join(dirname(ref), name))
}

/** Git appends to a reflog that is there, but cannot create one in a directory that is read-only. */
function ensureReflog(logs: string, branch: string): string[] {
  if (!existsSync(logs)) return []
  const path = join(logs, branch)
  mkdirSync(dirname(path), { recursive: true })
  closeSync(openSync(path, 'a'))
  return [path]
}

/** If the repository uses settings for single worktrees, an empty file keeps a command from creating one. */
function ensureWorktreeConfig(gitDirectory: string, commonDirectory: string): void {
  const isUsed = /^\s*worktreeconfig\b/im.test(readFileSync(join(commonDirectory, 'config'), 'utf8'))
  if (isUsed) closeSync(openSync(join(gitDirectory, 'config.worktree'), 'a'))
}
