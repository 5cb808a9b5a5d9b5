/**
 * What it costs to prepare a worktree: with 100,000 installed files, and in small real projects. And what it costs to look at a
 * worktree of 100,000 files, installed or tracked, after an attempt. It runs in memory if there is room, because a slow disk would
 * hide the rest. `BENCH_DIRECTORIES=/a:/b` measures the installed files in these directories instead, to compare file systems.
 */

import { execFileSync } from 'node:child_process'
import {
  constants,
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  statfsSync,
  writeFileSync,
} from 'node:fs'
import { loadavg, tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { hashTree, observeTree } from '../src/drive/observe-tree.ts'
import { systemClock } from '../src/kit/clock.ts'
import { errorCode } from '../src/kit/fault.ts'
import { randomIds } from '../src/kit/ids.ts'
import { runCheck } from '../src/kit/process/run-check.ts'
import type { RunContext } from '../src/runs/run-context.ts'
import { discoverWorkspace } from '../src/workspace/discover-workspace.ts'
import { locateGit } from '../src/workspace/git.ts'
import { type Preparation, prepareWorktree } from '../src/workspace/prepare/prepare-worktree.ts'
import { createWorktree } from '../src/workspace/worktrees/create-worktree.ts'
import { createRepositoryAt, PLAIN_ENV, type Repository } from '../test/support/git-repository.ts'
import { SAMPLE_PROJECTS, type SampleProject } from '../test/support/sample-projects.ts'
import { formatTable, measure, type Timing } from './measure.ts'

const FILES = 100_000
const FOLDERS = 1_000
const CHANGED = 10
const ROUNDS = 3
const GOAL = 0.2
const COPY_GOAL = 2
const STATUS = ['status', '--porcelain=v2', '-z', '--untracked-files=all']
const MEMORY = '/dev/shm'
/** Six copies of the files, and an archive. */
const NEEDED_BYTES = 4 * 2 ** 30

export async function benchPrepare(): Promise<string> {
  const places = (process.env['BENCH_DIRECTORIES'] ?? defaultPlace()).split(delimiter)
  const tables = [`Load of the machine at the start: ${loadavg()[0]?.toFixed(1)}`]
  for (const place of places) tables.push(await withScratch(benchInstalled, place))
  tables.push(await withScratch(benchTracked, places[0]))
  for (const sample of SAMPLE_PROJECTS) {
    const { name, obstacle } = sample
    tables.push(obstacle === undefined ? await benchSample(sample) : `A project of ${name}: ${obstacle}`)
  }
  return tables.join('\n\n')
}

function defaultPlace(): string {
  if (!existsSync(MEMORY)) return tmpdir()
  const { bavail, bsize } = statfsSync(MEMORY)
  return bavail * bsize >= NEEDED_BYTES ? MEMORY : tmpdir()
}

async function withScratch<T>(work: (scratch: string) => Promise<T>, place = tmpdir()): Promise<T> {
  const scratch = realpathSync(mkdtempSync(join(place, 'drover-bench-')))
  try {
    return await work(scratch)
  } finally {
    rmSync(scratch, { recursive: true, force: true })
  }
}

/** As large as the dependencies of a large project. The setup unpacks them. */
async function benchInstalled(scratch: string): Promise<string> {
  const repository = createRepositoryAt(join(scratch, 'project'))
  repository.write('.gitignore', 'node_modules/\n')
  repository.write('package-lock.json', '{}\n')
  repository.commit()
  writeFiles(join(repository.root, 'node_modules'), FILES)
  const archive = join(scratch, 'archive.tar')
  run(repository.root, 'tar', '-cf', archive, 'node_modules')
  const setup = [`tar -xf ${archive}`]
  const place = (name: string) => join(scratch, name)
  const prepare = (home: string, wanted: Partial<Preparation>, from: string) =>
    prepareOnce({ repository, home: place(home), env: PLAIN_ENV, wanted, from })
  const without = (name: string) => () => rmSync(place(name), { recursive: true, force: true })
  const timings = await measure(
    [
      {
        name: 'cp -a',
        prepare: without('copy'),
        once: () => run(scratch, 'cp', '-a', 'project/node_modules', place('copy')),
      },
      {
        name: 'first preparation: setup (tar -xf), template',
        prepare: without('home'),
        once: () => prepare('home', { setup }, 'setup'),
      },
      {
        name: 'second preparation: from the template',
        prepare: without('home/worktrees'),
        once: () => prepare('home', { setup }, 'template'),
      },
      {
        name: 'shared with your worktree',
        prepare: without('shared'),
        once: () => prepare('shared', { share: ['node_modules'] }, 'share'),
      },
    ],
    ROUNDS,
    0,
  )
  const looked = await benchLooking(repository.root)
  return [
    formatTable(`A worktree with ${FILES} installed files, on ${describeFileSystem(scratch)}`, timings),
    `  goal: the second preparation at most ${COPY_GOAL.toFixed(2)}x\n`,
    formatTable(`The same files, ignored by git`, looked),
  ].join('\n')
}

/** Its type, whether it is an image, and whether copies share their blocks. */
function describeFileSystem(scratch: string): string {
  const [, line = ''] = execFileSync('df', ['--output=source,fstype', scratch], { encoding: 'utf8' }).split('\n')
  const [source = '', type = 'unknown'] = line.split(/\s+/)
  return `${type}${describeImage(source)}, ${canClone(scratch) ? 'with' : 'without'} copy-on-write`
}

function describeImage(source: string): string {
  const loop = /^\/dev\/(loop\d+)$/.exec(source)?.[1]
  if (loop === undefined) return ''
  const file = readFileSync(`/sys/block/${loop}/loop/backing_file`, 'utf8')
  return file.startsWith(`${MEMORY}/`) ? ' (an image in memory)' : ' (an image on a disk)'
}

function canClone(scratch: string): boolean {
  try {
    copyFileSync(join(scratch, 'archive.tar'), join(scratch, 'clone'), constants.COPYFILE_FICLONE_FORCE)
    return true
  } catch (error) {
    if (errorCode(error) === undefined) throw error
    return false
  }
}

async function benchTracked(scratch: string): Promise<string> {
  const repository = createRepositoryAt(scratch)
  writeFiles(scratch, FILES)
  repository.commit()
  for (let at = 0; at < CHANGED; at += 1) repository.write(`folder-${at}/file-${at}`, 'changed\n')
  return formatTable(`A worktree of ${FILES} files, ${CHANGED} of them changed`, await benchLooking(scratch))
}

/** What is done before and after each attempt and check. */
async function benchLooking(root: string): Promise<Timing[]> {
  const git = locateGit({ env: PLAIN_ENV, cwd: root })
  const runs = { git, workspace: await discoverWorkspace({ start: root, git, signal }) } as RunContext
  return await measure(
    [
      { name: 'git status', once: () => run(root, 'git', ...STATUS) },
      { name: 'evidence of an attempt', once: async () => void (await observeTree({ runs })) },
      { name: 'digest of the tree', once: async () => void (await hashTree({ runs })) },
    ],
    ROUNDS,
  )
}

/** Each round begins without a template. */
async function benchSample({ name, setup, next, write, env }: SampleProject): Promise<string> {
  const taken = { first: [] as number[], second: [] as number[] }
  for (let round = 0; round < ROUNDS; round += 1) {
    await withScratch(async (scratch) => {
      const repository = createRepositoryAt(join(scratch, 'project'))
      write(repository, scratch)
      repository.commit()
      const place = { repository, home: join(scratch, 'home'), env: { ...PLAIN_ENV, HOME: scratch, ...env(scratch) } }
      taken.first.push(await prepareOnce({ ...place, wanted: { setup }, from: 'setup' }))
      taken.second.push(await prepareOnce({ ...place, wanted: { setup }, from: next }))
    })
  }
  const timings = [toTiming('first preparation', taken.first), toTiming('second preparation', taken.second)]
  const table = formatTable(`A project of ${name}: ${setup.join('; ')}`, timings)
  return next === 'template'
    ? `${table}\n  goal: at most ${GOAL.toFixed(2)}x`
    : `${table}\n  its setup fills a cache of the user`
}

function toTiming(name: string, times: readonly number[]): Timing {
  const sorted = times.toSorted((one, other) => one - other)
  return { name, medianMs: sorted[Math.floor(sorted.length / 2)] ?? Number.NaN, p90Ms: sorted.at(-1) ?? Number.NaN }
}

const { signal } = new AbortController()

type Prepare = {
  repository: Repository
  home: string
  env: Record<string, string>
  wanted: Partial<Preparation>
  from: string
}

/** The time of the preparation alone, without the checkout. */
async function prepareOnce({ repository, home, env, wanted, from }: Prepare): Promise<number> {
  const git = locateGit({ env: PLAIN_ENV, cwd: '/' })
  const identity = await discoverWorkspace({ start: repository.root, git, signal })
  const { path: root } = await createWorktree({
    ...{ home: join(home, 'worktrees'), repository: identity, commit: 'HEAD', title: 'bench', git, signal },
    ...{ clock: systemClock, ids: randomIds },
  })
  const since = performance.now()
  const end = await prepareWorktree({
    preparation: { setup: [], copy: [], share: [], timeoutMs: 600_000, ...wanted },
    ...{ root, userTree: repository.root, repository: identity.git_common_dir, git, env, signal, clock: systemClock },
    ...{
      templates: { home: join(home, 'templates'), maxBytes: 2 ** 40 },
      onStep: () => undefined,
      runCommand: runCheck,
    },
  })
  const took = performance.now() - since
  if (end.is === 'failed') throw new Error(`the setup failed: ${end.setup.output}`)
  if (end.from !== from) throw new Error(`it was prepared from ${end.from}: ${end.notes.join('; ')}`)
  return took
}

function run(cwd: string, program: string, ...args: string[]): void {
  const env = { ...PLAIN_ENV, GIT_OPTIONAL_LOCKS: '0' }
  execFileSync(program, args, { cwd, env, stdio: ['ignore', 'pipe', 'inherit'], maxBuffer: 2 ** 26 })
}

function writeFiles(root: string, count: number): void {
  for (let at = 0; at < FOLDERS; at += 1) mkdirSync(join(root, `folder-${at}`), { recursive: true })
  for (let at = 0; at < count; at += 1) {
    writeFileSync(join(root, `folder-${at % FOLDERS}`, `file-${at}`), `content ${at}\n`.repeat(40))
  }
}
