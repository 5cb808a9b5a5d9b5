/** What it costs to observe a worktree of 20,000 files, against a `git status` of the same. */
import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Git, locateGit } from '../src/workspace/git.ts'
import { observeGit } from '../src/workspace/observe-git.ts'
import { formatTable, measure } from './measure.ts'

const FILES = 20_000
const FEW = 10
const FOLDERS = 100
const ROUNDS = 10
const STATUS = ['status', '--porcelain=v2', '-z', '--untracked-files=all']

export async function benchWorkspace(): Promise<string> {
  const root = mkdtempSync(join(tmpdir(), 'drover-bench-'))
  try {
    writeFiles(root, { count: FILES, content: 'before' })
    run(root, ['init', '--quiet'])
    run(root, ['add', '--all'])
    run(root, ['-c', 'user.name=bench', '-c', 'user.email=bench@localhost', 'commit', '--quiet', '--message=All'])
    const tables: string[] = []
    for (const changed of [FEW, FILES]) {
      writeFiles(root, { count: changed, content: 'after' })
      tables.push(await compare(root, changed))
    }
    return tables.join('\n\n')
  } finally {
    rmSync(root, { recursive: true })
  }
}

async function compare(root: string, changed: number): Promise<string> {
  const git = locateGit({ env: process.env, cwd: root })
  const timings = await measure(
    [
      { name: 'git status', once: () => run(root, STATUS) },
      { name: 'observation', once: () => observe(root, { git, changed }) },
    ],
    ROUNDS,
  )
  return formatTable(`${FILES} files, ${changed} of them changed`, timings)
}

async function observe(start: string, { git, changed }: { git: Git; changed: number }): Promise<void> {
  const { path_count, content_observation_complete } = await observeGit({
    start,
    git,
    signal: new AbortController().signal,
  })
  if (path_count !== changed || !content_observation_complete) throw new Error(`saw ${path_count} of ${changed} files`)
}

function run(cwd: string, args: readonly string[]): void {
  const env = { ...process.env, GIT_OPTIONAL_LOCKS: '0' }
  execFileSync('git', args, { cwd, env, stdio: ['ignore', 'pipe', 'inherit'], maxBuffer: 2 ** 26 })
}

function writeFiles(root: string, { count, content }: { count: number; content: string }): void {
  for (let at = 0; at < count; at += 1) {
    const folder = join(root, `folder-${at % FOLDERS}`)
    mkdirSync(folder, { recursive: true })
    writeFileSync(join(folder, `file-${at}.txt`), `${content} ${at}\n`)
  }
}
