/** A lie or an accident in a driven run, and how it must end. */
import { deepEqual, equal, ok } from 'node:assert/strict'
import { mkdirSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import type { RunVerdict } from '../../../src/contract/run-verdict.shape.ts'
import type { FLAGS } from '../../../src/drive/record/review-flags.ts'
import { runCheck } from '../../../src/kit/process/run-check.ts'
import { callMain } from '../../support/call-main.ts'
import {
  createDrivenHome,
  type DrivenScript,
  dataOf,
  runIdIn,
  type DrivenHome as ScriptedHome,
} from '../../support/driven-home.ts'
import { installFakeGh } from '../../support/fake-gh.ts'
import { cloneRepository, type Repository } from '../../support/git-repository.ts'
import type { Ran } from '../../support/run-drover.ts'

export const GOAL = 'Show the wind in knots'
const URL = 'https://github.com/ada/weather/issues/7'
const CHECK = 'sh check.sh'
const CHECK_MS = 60_000
/** The agent gets one chance, and no further run repairs what it leaves. */
const CONFIG = 'drive:\n  attempts: 0\n  rounds: 0\n'

/** Its agents may be real. */
type DrivenHome = Omit<ScriptedHome, 'ends'>

export type Lie = {
  /** What the agent does, or what happens to the run. The table in docs/reliability.md lists it. */
  readonly name: string
  /** What the command that drives ends with; null if it was killed. */
  readonly exit: number | null
  readonly word: RunVerdict['word'] | 'refused'
  /** A flag, or the verdict on a claim. Absent if the word and its reason tell. */
  readonly flag?: (typeof FLAGS)[number] | 'claimed' | 'contradicted'
  /** One of the few of different kinds that the gate runs. */
  readonly isInGate?: true
  /** One of those that real agents tell: test/real/lies.test.ts. */
  readonly isReal?: true
  readonly script?: DrivenScript | ((home: DrivenHome) => DrivenScript)
  /** Files of the project, besides those that every project has. */
  readonly files?: Readonly<Record<string, string>>
  /** Done in the repository after its first commit. */
  readonly prepare?: (repository: Repository, home: DrivenHome) => void
  readonly config?: string
  readonly args?: readonly string[]
  /** In place of `sh check.sh`. */
  readonly checks?: readonly string[]
  /** Variables of the person who drives. */
  readonly env?: (home: DrivenHome) => Record<string, string>
  /** Drives an issue with this body in place of a goal. */
  readonly issue?: string
  /** Drives in place of one command. */
  readonly drive?: (home: DrivenHome, call: Call) => Promise<Ran>
  /** Looks closer. Throws if the lie is not caught. */
  readonly caught?: (told: Told) => void | Promise<void>
}

type Call = (...words: string[]) => Promise<Ran>
type Told = Awaited<ReturnType<typeof tell>>

/** Where a lie is told, and flags of the command that drives. */
export type Place = { readonly home: DrivenHome; readonly options: readonly string[] }

/** Drives a run with the agent that lies, in this process. Throws if the lie is not caught. */
export async function catchLie(scratch: string, lie: Lie): Promise<void> {
  await catchLieIn({ home: createDrivenHome(scratch), options: [] }, lie)
}

export async function catchLieIn(place: Place, lie: Lie): Promise<void> {
  const told = await tell(place, lie)
  const { code, verdict, flags, claims } = told
  const found = [...flags, ...claims]
  const shown = [verdict.line, ...found, told.stderr].join('\n')
  deepEqual([code, verdict.word], [lie.exit, lie.word], shown)
  if (lie.flag !== undefined)
    ok(
      found.some((each) => each.includes(lie.flag ?? '')),
      `no ${lie.flag} in ${shown}`,
    )
  if (lie.exit === 5 && lie.flag !== undefined) {
    const words = lie.flag.replaceAll('_', ' ')
    ok(
      verdict.look_first.some((each) => each.startsWith(words)),
      `not to look at first: ${shown}`,
    )
  }
  if (lie.exit === 0 && lie.word === 'delivered') await expectPassingClone(told)
  await lie.caught?.(told)
}

async function tell({ home, options }: Place, lie: Lie) {
  const { script = {}, files = {}, config = CONFIG, issue } = lie
  home.configure(config)
  for (const [path, content] of Object.entries(files)) home.repository.write(path, content)
  if (Object.keys(files).length > 0) home.repository.commit()
  lie.prepare?.(home.repository, home)
  home.rewrite(typeof script === 'function' ? script(home) : script)
  const { repository } = home
  const env = { ...home.env, ...lie.env?.(home) }
  const around = { cwd: repository.root, env, homeDirectory: home.home, isRoot: process.getuid?.() === 0 }
  const call: Call = (...words) => callMain(words, around)
  if (issue !== undefined) openIssue(home, issue)
  const { checks = [CHECK], args = ['--no-review'] } = lie
  const target = issue === undefined ? [GOAL] : [URL, '--as-goal']
  const words = [...target, ...options, ...args, ...checks.flatMap((check) => ['--check', check])]
  const ran = await (lie.drive?.(home, call) ?? call('drive', ...words))
  const id = runIdIn(ran.stdout)
  const records = home.records(id)
  const evidence = dataOf(records, 'evidence').at(-1)
  const changes = dataOf(records, 'repository_changed').flatMap(({ changes: all }) => all)
  return {
    ...ran,
    id,
    call,
    home,
    checks,
    records,
    verdict: await verdictOn(call, id),
    recordsNow: () => home.records(id),
    calls: home.calls,
    claims: (evidence?.claims ?? []).map(({ subject, verdict, note }) => `${subject} ${verdict}: ${note}`),
    flags: [
      ...changes.map(({ what, name }) => `repository_changed ${what} ${name}`),
      ...(evidence?.flags ?? []).map(({ flag, detail }) => `${flag} ${detail}`),
    ],
    ends: dataOf(records, 'attempt_ended').map(({ how }) => how),
    purposes: dataOf(records, 'attempt_started').map(({ purpose }) => purpose),
  }
}

/** A command that is refused starts no run. */
const REFUSED = { word: 'refused', line: 'refused', reason: '', next: '', look_first: [] as string[] } as const

async function verdictOn(call: Call, id: string): Promise<Omit<RunVerdict, 'word' | 'exists'> & Pick<Lie, 'word'>> {
  if (id === '') return REFUSED
  const { stdout, stderr } = await call('status', id, '--json')
  equal(stderr, '')
  return JSON.parse(stdout).verdict
}

/** What exit 0 says: the delivered commit passes its checks wherever it is checked out. */
async function expectPassingClone({ home, records, checks }: Told): Promise<void> {
  const [{ branch = '', commit = '' } = {}] = dataOf(records, 'delivered')
  const cwd = join(home.scratch, 'clone')
  const clone = cloneRepository(home.repository, cwd, ['--no-local', '--branch', branch])
  equal(clone.git('rev-parse', 'HEAD').trim(), commit)
  for (const command of checks) {
    const around = { cwd, env: home.env, timeoutMs: CHECK_MS, signal: new AbortController().signal }
    const { passed, output, problem } = await runCheck({ command, ...around })
    ok(passed, `in a clean clone of what was delivered, ${command} fails: ${problem} ${output}`)
  }
}

function openIssue({ scratch }: Pick<DrivenHome, 'scratch'>, body: string): void {
  const directory = join(scratch, 'github')
  mkdirSync(directory)
  const known = { repositoryId: 'R_1', id: 'I_1', number: 7, url: URL, updatedAt: '2026-01-31T10:00:00Z', labels: null }
  installFakeGh(directory, { issue: { ...known, title: 'Wind', body } })
  symlinkSync(join(directory, 'bin', 'gh'), join(scratch, 'bin', 'gh'))
}
