/** What a command in a worktree may write of its repository. */
import { join } from 'node:path'
import { readFileBytes } from '../kit/files/read-file.ts'
import type { OwnGit } from './stage-git.ts'

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

/** Undefined in the main worktree: hooks, settings and the index share one directory there. */
export function readOwnGit({ git }: WorktreeDirectories): OwnGit | undefined {
  if (git === undefined || git.directory === git.commonDirectory) return undefined
  const { directory, commonDirectory, branch } = git
  return { directory, commonDirectory, branch: branch === undefined ? readBranch(directory) : (branch ?? undefined) }
}

/** Undefined if the worktree is on no branch, or if its refs are in a table, which cannot be shared out. */
function readBranch(gitDirectory: string): string | undefined {
  const head = readFileBytes({ path: join(gitDirectory, 'HEAD'), limitBytes: LIMIT_BYTES }).toString('utf8')
  return /^ref: (refs\/heads\/(?!\.invalid)(?!.*\.\.)[^\0\n]+)\n$/.exec(head)?.[1]
}
