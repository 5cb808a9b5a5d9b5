/**
 * `drover merge` killed before and after each git command that it runs, which are all of its steps: a record is written
 * between two of them. The command is repeated, and must end as if nothing had happened.
 */
import { spawn } from 'node:child_process'
import { cpSync, mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { findProgram } from '../../src/kit/process/find-program.ts'
import { droverPath } from '../support/bundled-program.ts'
import { createDrivenHome, type DrivenHome, dataOf, runIdIn } from '../support/driven-home.ts'
import { processesWith, sessionsIn } from './observation.ts'
import { type Figures, repeat, type Scenario, sum } from './scenario.ts'

type Moment = {
  readonly when: 'before' | 'after'
  /** How many git commands were started, or a word of the one that counts. */
  readonly call: number | '--ff-only' | 'remove --force'
}

/** The check, which runs again on the merge commit, and no more than a delivery needs. */
const QUICK = ['--no-review', '--rounds', '0', '--baseline', 'skip', '--check', 'sh check.sh']
const AT_ONCE = 2
/** While the clean checkout is removed, and around the step that moves the branch. */
const IN_THE_GATE: Moment[] = [{ when: 'before', call: 'remove --force' }, ...around('--ff-only')]

export const MERGE_FAULTS: readonly Scenario[] = [
  {
    name: 'drover merge killed before and after each of its git commands; the next one ends what it began',
    times: { gate: 1, full: Number.MAX_SAFE_INTEGER },
    run: async (times) => {
      const since = performance.now()
      const figures: Figures = { times: 0, seconds: 0, sessions: {}, processes: 0, problems: [] }
      const runs: Moment[][] = [IN_THE_GATE, ...(times > 1 ? await listMoments() : [])]
      using rested = new DisposableStack()
      const free: DeliveredRun[] = []
      await repeat({ often: runs.length, atOnce: AT_ONCE }, async (at) => {
        const run = free.pop() ?? rested.use(await DeliveredRun.create())
        run.restore()
        figures.problems.push(...(await killAt(run, runs[at] ?? [])))
        figures.times += runs[at]?.length ?? 0
        figures.processes += processesWith(run.home.home).length
        figures.sessions = sum(figures.sessions, sessionsIn(run.home.home))
        free.push(run)
      })
      return { ...figures, seconds: (performance.now() - since) / 1000 }
    },
  },
]

function around(call: Moment['call']): Moment[] {
  return (['before', 'after'] as const).map((when) => ({ when, call }))
}

/** Each begins with a run that was delivered just now. */
async function listMoments(): Promise<Moment[][]> {
  using run = await DeliveredRun.create()
  const { code, calls } = await run.merge()
  const problems = run.problems(code)
  if (problems.length > 0) throw new Error(`without a kill: ${problems.join('; ')}`)
  return calls.flatMap((_, at) => around(at + 1)).map((moment) => [moment])
}

async function killAt(run: DeliveredRun, moments: readonly Moment[]): Promise<string[]> {
  const problems: string[] = []
  for (const moment of moments) {
    const { signal, code, calls } = await run.merge(moment)
    if (signal !== 'SIGKILL') problems.push(`${moment.when} git ${calls.at(-1)}: it was not killed: ${code}`)
  }
  const { code } = await run.merge()
  return [...problems, ...run.problems(code)].map((problem) => `${JSON.stringify(moments)}: ${problem}`)
}

class DeliveredRun implements Disposable {
  readonly home: DrivenHome
  #runId = ''

  constructor() {
    this.home = createDrivenHome(realpathSync(mkdtempSync(join(tmpdir(), 'drover-merged-'))))
  }

  /** The branch has moved since the run was started. */
  static async create(): Promise<DeliveredRun> {
    const run = new DeliveredRun()
    const { stdout } = await run.#start(['drive', 'Show the wind in knots', ...QUICK])
    run.#runId = runIdIn(stdout)
    run.home.repository.write('rain.txt', 'rain: 2 mm\n')
    run.home.repository.commit()
    copy(run.home.scratch, run.#delivered)
    return run
  }

  /** As it was delivered: to drive a run takes longer than to merge it. */
  restore(): void {
    rmSync(this.home.scratch, { recursive: true, force: true })
    copy(this.#delivered, this.home.scratch)
  }

  get #delivered(): string {
    return `${this.home.scratch}-delivered`
  }

  [Symbol.dispose](): void {
    for (const each of [this.home.scratch, this.#delivered]) rmSync(each, { recursive: true, force: true })
  }

  /** The command, and the git commands that it has started. */
  async merge(kill?: Moment) {
    const bin = join(this.home.scratch, 'counted')
    const calls = join(bin, 'calls')
    rmSync(bin, { recursive: true, force: true })
    mkdirSync(bin)
    writeFileSync(calls, '')
    writeFileSync(join(bin, 'git'), countingGit(calls, kill), { mode: 0o755 })
    const ended = await this.#start(['merge', this.#runId], `${bin}:${this.home.env.PATH}`)
    return { ...ended, calls: readFileSync(calls, 'utf8').split('\0').slice(0, -1) }
  }

  async #start(args: readonly string[], path = this.home.env.PATH) {
    const { env, repository } = this.home
    const child = spawn(process.execPath, [droverPath(), ...args], {
      ...{ cwd: repository.root, env: { ...env, PATH: path }, stdio: ['ignore', 'pipe', 'ignore'] },
    })
    let stdout = ''
    child.stdout?.setEncoding('utf8').on('data', (text) => (stdout += text))
    return await new Promise<{ code: number | null; signal: string | null; stdout: string }>((resolve) =>
      child.on('close', (code, signal) => resolve({ code, signal, stdout })),
    )
  }

  /** What is wrong after the command has ended. */
  problems(code: number | null): string[] {
    const { git } = this.home.repository
    const lines = (...args: string[]) =>
      git(...args)
        .split('\n')
        .filter(Boolean)
    const facts: readonly (readonly [string, unknown, unknown])[] = [
      ['the exit code', code, 0],
      ['the merge commits of main', lines('rev-list', '--merges', 'main').length, 1],
      [
        'its work',
        [git('show', 'main:wind.txt'), git('show', 'main:rain.txt')].join(''),
        'wind: 23 knots\nrain: 2 mm\n',
      ],
      ['uncommitted changes', git('status', '--porcelain'), ''],
      ['branches of drover', git('branch', '--list', 'drover/*'), ''],
      ['worktrees', lines('worktree', 'list').length, 1],
      ['records of the merge', dataOf(this.home.records(this.#runId), 'merged').length, 1],
    ]
    return facts.filter(([, found, wanted]) => found !== wanted).map(([what, found]) => `${what}: ${String(found)}`)
  }
}

function copy(from: string, to: string): void {
  cpSync(from, to, { recursive: true, preserveTimestamps: true, verbatimSymlinks: true })
}

/** Kills drover, its parent, at the moment. Commands that run at the same time get different numbers. */
function countingGit(calls: string, kill: Moment | undefined): string {
  const isReached =
    typeof kill?.call === 'number' ? `[ "$n" -eq ${kill.call} ]` : `case "$*" in *"${kill?.call}"*) ;; *) false ;; esac`
  const killIf = (when: Moment['when']) => (kill?.when === when ? [`${isReached} && kill -9 $PPID && exit 1`] : [])
  const git = `'${findProgram('git', { env: process.env, cwd: '/' })}' "$@"`
  const count = ['set -C; n=1', `{ until true > '${calls}'.$n; do n=$((n + 1)); done; } 2>/dev/null`]
  const lines = [...count, `printf '%s\\0' "$*" >> '${calls}'`, ...killIf('before'), git, 'code=$?', ...killIf('after')]
  return `#!/bin/sh\n${lines.join('\n')}\nexit $code\n`
}
