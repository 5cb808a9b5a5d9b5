/** A real repository in a given directory, made and read with no configuration of this machine. */
import { execFileSync } from 'node:child_process'
import { cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join, relative } from 'node:path'
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

/** A commit would start one more git, which looks for something to tidy up. */
const WITHOUT_MAINTENANCE = ['-c', 'maintenance.auto=false']

function runGit(cwd: string, args: readonly string[]): string {
  const env = { ...PLAIN_ENV, ...AUTHOR }
  return execFileSync('git', [...WITHOUT_MAINTENANCE, ...args], {
    cwd,
    env,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'pipe'],
    timeout: 60_000,
  })
}

export function createRepositoryAt(root: string, init: readonly string[] = []): Repository {
  mkdirSync(root, { recursive: true })
  if (init.length > 0 || existsSync(join(root, '.git'))) runGit(root, ['init', ...INIT, ...init])
  else writeEmptyRepository(join(root, '.git'))
  return toRepository(root)
}

const INIT = ['--quiet', '--initial-branch=main']

type EmptyRepository = { directories: readonly string[]; files: readonly (readonly [path: string, content: Buffer])[] }

let empty: EmptyRepository | undefined

/** What `git init` writes, without its sample hooks. To start git for each repository takes fifty times as long. */
function writeEmptyRepository(directory: string): void {
  empty ??= readEmptyRepository()
  for (const path of empty.directories) mkdirSync(join(directory, path), { recursive: true })
  for (const [path, content] of empty.files) writeFileSync(join(directory, path), content)
}

function readEmptyRepository(): EmptyRepository {
  const scratch = mkdtempSync(join(tmpdir(), 'drover-test-'))
  try {
    runGit(scratch, ['init', ...INIT])
    const directory = join(scratch, '.git')
    const entries = readdirSync(directory, { recursive: true, withFileTypes: true })
    const pathOf = (entry: (typeof entries)[number]) => relative(directory, join(entry.parentPath, entry.name))
    const files = entries.filter((entry) => entry.isFile() && !entry.name.endsWith('.sample')).map(pathOf)
    return {
      directories: entries.filter((entry) => entry.isDirectory()).map(pathOf),
      files: files.map((path) => [path, readFileSync(join(directory, path))] as const),
    }
  } finally {
    rmSync(scratch, { recursive: true, force: true })
  }
}

/** As a user clones one. */
export function cloneRepository(from: Repository, root: string, options: readonly string[] = []): Repository {
  runGit(from.root, ['clone', '--quiet', ...options, from.root, root])
  return toRepository(root)
}

/** A copy of all of it, without a process of git. */
export function copyRepository(from: Repository, root: string): Repository {
  cpSync(from.root, root, { recursive: true, preserveTimestamps: true })
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
