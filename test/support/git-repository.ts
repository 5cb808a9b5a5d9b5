/** A real repository in a given directory, made and read with no configuration of this machine. */
import { execFileSync } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { NOWHERE } from './nowhere.ts'

export type Repository = {
  root: string
  git: (...args: string[]) => string
  write: (path: string, content: string | Buffer) => string
  /** Everything in the worktree, as a commit. */
  commit: () => void
}

/** What git needs to be found and to find no configuration but the repository's. */
export const PLAIN_ENV = {
  PATH: process.env['PATH'] ?? '',
  HOME: NOWHERE,
  GIT_CONFIG_NOSYSTEM: '1',
}

const AUTHOR = {
  GIT_AUTHOR_NAME: 'Ada',
  GIT_AUTHOR_EMAIL: 'ada@example.com',
  GIT_COMMITTER_NAME: 'Ada',
  GIT_COMMITTER_EMAIL: 'ada@example.com',
}

function runGit(cwd: string, args: readonly string[]): string {
  const env = { ...PLAIN_ENV, ...AUTHOR }
  return execFileSync('git', args, { cwd, env, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'], timeout: 60_000 })
}

export function createRepositoryAt(root: string, init: readonly string[] = []): Repository {
  mkdirSync(root, { recursive: true })
  runGit(root, ['init', '--quiet', '--initial-branch=main', ...init])
  return toRepository(root)
}

/** As a user clones one. */
export function cloneRepository(from: Repository, root: string): Repository {
  runGit(from.root, ['clone', '--quiet', from.root, root])
  return toRepository(root)
}

function toRepository(root: string): Repository {
  const git = (...args: string[]) => runGit(root, args)
  const write = (path: string, content: string | Buffer) => {
    const place = join(root, path)
    mkdirSync(dirname(place), { recursive: true })
    writeFileSync(place, content)
    return place
  }
  const commit = () => {
    git('add', '--all')
    git('commit', '--quiet', '--message=All')
  }
  return { root, git, write, commit }
}
