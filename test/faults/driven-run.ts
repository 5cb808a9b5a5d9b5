/** A run of `drover drive` in processes of their own, which are killed at given moments. */
import { type ChildProcess, spawn } from 'node:child_process'
import { existsSync, mkdtempSync, readdirSync, readFileSync, realpathSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { readDrive } from '../../src/drive/record/drive-journal.ts'
import { openRunStore } from '../../src/journal/run-store.ts'
import { droverPath } from '../support/bundled-program.ts'
import { createDrivenHome, type DrivenScript, dataOf, type DrivenHome as ScriptedHome } from '../support/driven-home.ts'
import type { KillPoint } from '../support/kill-point.ts'
import { accountingProblems, recordProblems, waitProblems } from './driven-run-checks.ts'
import { processesWith, sessionsIn } from './observation.ts'

const KILLER = join(import.meta.dirname, '..', 'programs', 'kill-at.ts')
/** Far longer than a run takes on a busy machine. */
const LIMIT_MS = 60_000
const REAL_LIMIT_MS = 10 * 60_000
/** How long processes may take to end after the command. */
const END_MS = 2000

const GOAL = ['Show the wind in knots']
const CHECK = "sh -c 'sleep 0.1; sh check.sh'"
const PAUSE_MS = 250
/** Each turn takes long enough to be killed at several moments. */
const SCRIPT: DrivenScript = {
  orient: [{ pause: PAUSE_MS }],
  implement: [{ edits: { 'wind.txt': 'wind: 23 knots\n' }, pause: PAUSE_MS }],
  review: [{ pause: PAUSE_MS }],
  summarize: [{ pause: PAUSE_MS }],
}

/** The first session is lost with the agent that is killed in its first turn. */
export const UNSAVED: DrivenScript = { ...SCRIPT, orient: [{ pause: PAUSE_MS, savesLate: true }] }

/** Claude reaches a limit that is over after a second. */
export const LIMITED: DrivenScript = {
  ...SCRIPT,
  implement: [
    { edits: { 'wind.txt': 'wind: 23\n' }, limit: { claude: 'API Error: Request rejected (429) · try again in 1s' } },
    ...(SCRIPT.implement ?? []),
  ],
}

/** What a run needs of its home. Its agents may be real. */
export type DrivenHome = Pick<ScriptedHome, 'repository' | 'home' | 'runs' | 'configure' | 'calls' | 'records'> & {
  readonly env: Record<string, string>
}

export type DriveEnded = { code: number | null; isKilled: boolean; output: string }

export type RealAgents = {
  createHome(scratch: string): DrivenHome
  /** Flags of the command that starts the run. */
  readonly options: readonly string[]
  /** Of its configuration. */
  readonly settings: { readonly drive?: object } & Readonly<Record<string, unknown>>
}

export class DrivenRun implements Disposable {
  readonly home: DrivenHome
  readonly #scratch: string
  readonly #children: ChildProcess[] = []
  readonly #options: readonly string[]
  readonly #limitMs: number

  constructor(script = SCRIPT, real?: Partial<RealAgents>) {
    this.#scratch = realpathSync(mkdtempSync(join(tmpdir(), 'drover-driven-')))
    this.home = real?.createHome?.(this.#scratch) ?? createDrivenHome(this.#scratch, script)
    this.#options = real?.options ?? []
    this.#limitMs = real?.createHome === undefined ? LIMIT_MS : REAL_LIMIT_MS
    const { drive, ...settings } = real?.settings ?? {}
    const checked = { repositories: [this.home.repository.root], checks: [CHECK], ...drive }
    this.home.configure(JSON.stringify({ ...settings, drive: checked }))
  }

  /** The id of the run; empty as long as there is none. */
  get runId(): string {
    const { runs } = this.home
    return existsSync(runs) ? (readdirSync(runs).find((name) => /^[0-9a-f-]{36}$/.test(name)) ?? '') : ''
  }

  get journalLength(): number {
    return readFileSync(join(this.home.runs, this.runId, 'journal.jsonl'), 'latin1').split('\n').length - 1
  }

  /** The bytes of the records, whole lines only. */
  get recorded(): string {
    const path = join(this.home.runs, this.runId, 'drive.jsonl')
    return existsSync(path) ? readFileSync(path, 'utf8').replace(/[^\n]*$/, '') : ''
  }

  /** Starts the run, or continues it, until the command ends or is killed. */
  async drive(kill?: Omit<KillPoint, 'reportTo'>): Promise<DriveEnded> {
    return await this.#start(['drive', ...(this.runId === '' ? [...GOAL, ...this.#options] : [this.runId])], kill).ended
  }

  #start(args: readonly string[], kill: Omit<KillPoint, 'reportTo'> | undefined, report = 'killed.json') {
    const { home } = this
    const reportTo = join(this.#scratch, report)
    rmSync(reportTo, { force: true })
    const child = spawn(
      process.execPath,
      [...(kill === undefined ? [] : ['--import', KILLER]), droverPath(), ...args],
      {
        cwd: home.repository.root,
        env: { ...home.env, ...(kill && { KILL_AT: JSON.stringify({ ...kill, reportTo }) }) },
        stdio: ['ignore', 'pipe', 'pipe'],
        timeout: this.#limitMs,
      },
    )
    this.#children.push(child)
    let output = ''
    for (const stream of [child.stdout, child.stderr]) stream.setEncoding('utf8').on('data', (text) => (output += text))
    const ended = new Promise<number | null>((resolve) => child.on('exit', resolve)).then((code): DriveEnded => {
      const report = existsSync(reportTo) ? JSON.parse(readFileSync(reportTo, 'utf8')) : undefined
      return { code, isKilled: report !== undefined && (kill?.victim !== 'agent' || report.agents > 0), output }
    })
    return { child, ended }
  }

  /** The same in a server: it starts the run, or continues it by itself, until the work is delivered. */
  async serve(kill?: Omit<KillPoint, 'reportTo'>): Promise<DriveEnded> {
    const { child, ended } = this.#start(['serve', '--port', '0'], kill)
    let hasEnded = false
    const last = ended.finally(() => {
      hasEnded = true
    })
    if (this.runId === '') await this.#order(child).catch(() => undefined)
    const deadline = performance.now() + this.#limitMs
    while (!hasEnded && !this.#isDone() && performance.now() < deadline) await delay(20)
    child.kill('SIGTERM')
    return await last
  }

  /** Hands the run over to a server that is killed at this moment. Undefined if the moment did not come. */
  async handOver(moment: NonNullable<KillPoint['handOver']>): Promise<DriveEnded | undefined> {
    const kill = { victim: 'driver', file: 'drive.jsonl', record: 1, handOver: moment } as const
    const { ended } = this.#start(['serve', '--local', '--quiet'], kill)
    await this.#until(() => existsSync(join(this.home.home, '.drover', 'server.sock')))
    const detached = await this.#start(['drive', ...GOAL, ...this.#options, '--detach'], undefined, 'detached.json')
      .ended
    const { isKilled } = await ended
    await this.#until(() => this.#isDone())
    await this.#start(['down'], undefined).ended
    return isKilled ? detached : undefined
  }

  async #until(condition: () => boolean): Promise<void> {
    const deadline = performance.now() + this.#limitMs
    while (!condition() && performance.now() < deadline) await delay(20)
  }

  /** The server may be killed before it answers. */
  async #order(child: ChildProcess): Promise<void> {
    const port = await new Promise<string>((resolve, reject) => {
      let said = ''
      child.stdout?.on('data', (text) => {
        said += text
        const found = /listens on http:\/\/.*:(\d+)/.exec(said)?.[1]
        if (found !== undefined) resolve(found)
      })
      child.on('exit', () => reject(new Error('the server has ended')))
    })
    await fetch(`http://127.0.0.1:${port}/api/v1/runs`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ goal: GOAL[0], repository: this.home.repository.root }),
    })
  }

  #isDone(): boolean {
    if (this.runId === '' || dataOf(this.home.records(this.runId), 'delivered').length === 0) return false
    return this.home.repository.git('worktree', 'list').trim().split('\n').length === 1
  }

  /** What is wrong with the run now that it should have ended. `before`: the records when it was killed. */
  async problems({ code, output }: DriveEnded, before: string): Promise<string[]> {
    const { home, runId } = this
    const records = home.records(runId)
    const problems = [
      ...(code === 0 ? [] : [`the command ended with ${code}: ${output}`]),
      ...(this.recorded.startsWith(before) ? [] : ['records were lost']),
      ...recordProblems(records),
      ...accountingProblems(records, home.calls()),
      ...waitProblems(records, home.calls()),
      ...this.#deliveryProblems(),
      ...(sessionsIn(home.home).active === undefined ? [] : ['a session is still active']),
    ]
    // This throws if a record does not continue the one before.
    readDrive(openRunStore({ gitCommonDir: join(home.repository.root, '.git') }), runId)
    const left = await this.#processesLeft()
    return left.length === 0 ? problems : [...problems, `processes are left: ${left.join(', ')}`]
  }

  get processes(): number {
    return processesWith(this.home.home).length
  }

  /** One commit with the work on the branch, and no worktree. */
  #deliveryProblems(): string[] {
    const { git } = this.home.repository
    const [delivered] = dataOf(this.home.records(this.runId), 'delivered')
    if (delivered?.as !== 'branch') return [`it is delivered as ${delivered?.as}`]
    const { branch = '', commit = '' } = delivered
    const found = {
      file: git('show', `${branch}:wind.txt`),
      commits: git('rev-list', '--count', `main..${branch}`).trim(),
      head: git('rev-parse', branch).trim(),
      worktrees: git('worktree', 'list').trim().split('\n').length,
    }
    const wanted = { file: 'wind: 23 knots\n', commits: '1', head: commit, worktrees: 1 }
    return JSON.stringify(found) === JSON.stringify(wanted) ? [] : [`it delivered ${JSON.stringify(found)}`]
  }

  async #processesLeft(): Promise<number[]> {
    const deadline = performance.now() + END_MS
    for (;;) {
      const left = processesWith(this.home.home)
      if (left.length === 0 || performance.now() > deadline) return left
      await delay(20)
    }
  }

  [Symbol.dispose](): void {
    for (const child of this.#children) child.kill('SIGKILL')
    for (const pid of processesWith(this.home.home)) process.kill(pid, 'SIGKILL')
    rmSync(this.#scratch, { recursive: true, force: true, maxRetries: 10, retryDelay: 50 })
  }
}
