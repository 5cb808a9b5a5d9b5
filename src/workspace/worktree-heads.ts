/**
 * What git notes about the HEAD of each worktree of a repository: which branch is checked out, and in a log every commit that was
 * made or checked out there. Who moves a branch from another worktree leaves nothing in that log.
 */
import { statSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { namesIn, readBytes } from './read-content.ts'
import { findRecordAt } from './worktree-records.ts'

type WorktreeHead = {
  /** The branch that is checked out. Absent: none. */
  readonly branch?: string
  /** The size of the log in bytes. Absent: git keeps none. */
  readonly log?: number
  /** The worktree was created by drover. */
  readonly is_ours?: true
}

/** By the paths of their git directories in that of the repository. The path of the main worktree is `.`. */
export type WorktreeHeads = Readonly<Record<string, WorktreeHead>>

const FILE_LIMIT_BYTES = 4096
/** More than a person commits in years. */
const LOG_LIMIT_BYTES = 32 * 1024 * 1024

export function readHeads(gitCommonDir: string): WorktreeHeads {
  const names = ['.', ...namesIn(join(gitCommonDir, 'worktrees')).map((name) => `worktrees/${name}`)]
  return Object.fromEntries(names.map((name) => [name, readHead(gitCommonDir, name)]))
}

function readHead(gitCommonDir: string, name: string): WorktreeHead {
  const directory = join(gitCommonDir, name)
  const branch = /^ref: refs\/heads\/(.+)$/m.exec(textOf(join(directory, 'HEAD')) ?? '')?.[1]
  const log = statSync(join(directory, 'logs', 'HEAD'), { throwIfNoEntry: false })?.size
  const root = dirname((textOf(join(directory, 'gitdir')) ?? '').trim())
  return {
    ...(branch !== undefined && { branch }),
    ...(log !== undefined && { log }),
    ...(findRecordAt(root)?.git_common_dir === gitCommonDir && { is_ours: true as const }),
  }
}

/** The commits that were noted after the log had this size. Git has shortened a log that is smaller now. */
export function commitsNotedSince(gitCommonDir: string, name: string, size: number): Set<string> {
  const bytes = readBytes(join(gitCommonDir, name, 'logs', 'HEAD'), LOG_LIMIT_BYTES) ?? Buffer.alloc(0)
  const lines = bytes.subarray(size > bytes.length ? 0 : size).toString('latin1')
  return new Set([...lines.matchAll(/^[0-9a-f]{40,64} ([0-9a-f]{40,64}) /gm)].map(([, commit = '']) => commit))
}

function textOf(path: string): string | undefined {
  return readBytes(path, FILE_LIMIT_BYTES)?.toString('utf8')
}
