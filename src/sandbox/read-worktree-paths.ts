/** Reads from the disk what a worktree needs of its repository. */
import { closeSync, constants, existsSync, mkdirSync, openSync, readdirSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { readFileBytes } from '../kit/files/read-file.ts'
import type { OwnGitPaths, WorktreePaths } from './sandbox-policy.ts'

/** As git names them; outside of a repository there is only the root. */
export type WorktreeDirectories = { root: string; git?: GitDirectories }

type GitDirectories = {
  directory: string
  commonDirectory: string
  /**
   * The branch that may be written, such as `refs/heads/one`; null for none. Undefined: as `HEAD` says. A command that ran there
   * before can have written another name into `HEAD`.
   */
  branch?: string | null
}

const LIMIT_BYTES = 4 * 2 ** 20
/** An earlier command can have left a link or a pipe there. */
const CREATE_FILE =
  constants.O_WRONLY | constants.O_APPEND | constants.O_CREAT | constants.O_NOFOLLOW | constants.O_NONBLOCK

export function readWorktreePaths({ root, git }: WorktreeDirectories): WorktreePaths {
  if (git === undefined) return { root }
  const { directory, commonDirectory } = git
  if (directory === commonDirectory) return { root, git: { commonDirectory } }
  return { root, git: { commonDirectory, own: readOwnPaths(git) } }
}

/**
 * Git replaces files by renaming, so a single ref cannot be mounted: the directory of the branch is writable, and all other
 * branches in it are mounted again, read-only.
 */
function readOwnPaths({ directory: gitDirectory, commonDirectory, branch: named }: GitDirectories): OwnGitPaths {
  const branch = named === undefined ? readBranch(gitDirectory) : (named ?? undefined)
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
  const head = readFileBytes({ path: join(gitDirectory, 'HEAD'), limitBytes: LIMIT_BYTES }).toString('utf8')
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
  const config = readFileBytes({ path: join(commonDirectory, 'config'), limitBytes: LIMIT_BYTES }).toString('utf8')
  if (/^\s*worktreeconfig\b/im.test(config)) closeSync(openSync(join(gitDirectory, 'config.worktree'), CREATE_FILE))
}
