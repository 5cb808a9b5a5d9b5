/**
 * Two machines that watch one repository, whose watchers and servers are killed again and again. Every issue must end with one
 * comment and one run, on one of them.
 */
import { type ChildProcess, spawn } from 'node:child_process'
import { existsSync, mkdtempSync, readdirSync, realpathSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { droverPath } from '../support/bundled-program.ts'
import { createDrivenHome, type DrivenHome, dataOf } from '../support/driven-home.ts'
import { type FakeForge, hasForge, startForge } from '../support/forge/fake-forge.ts'
import { VIEWER } from '../support/forge/forge-state.ts'
import { processesWith, sessionsIn } from './observation.ts'
import { type Figures, type Scenario, sum } from './scenario.ts'

const ISSUES = 12
/** A watcher claims an issue and starts its run within as many milliseconds, so that each part of it is hit. */
const LONGEST_LIFE_MS = 4000
const STEPS = 16
const LAST_LOOKS = 20

const CONFIG = JSON.stringify({
  warm: { enabled: false },
  drive: { watch_secs: 1, rounds: 0, attempts: 0, baseline: 'skip', parallel: 3 },
})

export const WATCH_FAULTS: readonly Scenario[] = [
  {
    name: `two watchers of ${ISSUES} labeled issues and their servers killed; one comment and one run each`,
    // test/drive/watch.test.ts kills one.
    times: { gate: 0, full: 40 },
    ...(!hasForge && { obstacle: 'needs Linux, gh and openssl' }),
    run: killWatchers,
  },
]

async function killWatchers(times: number): Promise<Figures> {
  const scratch = realpathSync(mkdtempSync(join(tmpdir(), 'drover-watch-')))
  const fake = await startForge({ stays: true })
  const machines = ['one', 'two'].map((name) => createMachine(fake, join(scratch, name)))
  const since = performance.now()
  try {
    for (let number = 1; number <= ISSUES; number += 1) fake.addIssue(`Show reading ${number}`)
    for (let kill = 0; kill < times; kill += 1) {
      // Half of them have their label, and the others get it while watchers are killed.
      labelUpTo(fake, ISSUES / 2 + Math.floor((kill * ISSUES) / 2 / times))
      await watchAndKill(machines, kill)
    }
    labelUpTo(fake, ISSUES)
    const said: string[] = []
    for (let look = 0; look < LAST_LOOKS && !areDone(fake); look += 1)
      for (const { start } of machines) said.push(await start(['watch', '--once', '--wait']).said)
    for (const { start } of machines) await start(['down']).said
    const problems = [...problemsOf(fake, machines), ...said.filter((text) => text.includes('drover: '))]
    const sessions = machines.map(({ home }) => sessionsIn(home.home)).reduce(sum)
    const seconds = (performance.now() - since) / 1000
    return { times, seconds, sessions, processes: processesWith(scratch).length, problems }
  } finally {
    for (const pid of processesWith(scratch)) process.kill(pid, 'SIGKILL')
    await fake.close()
    rmSync(scratch, { recursive: true, force: true, maxRetries: 10, retryDelay: 50 })
  }
}

function labelUpTo(fake: FakeForge, last: number): void {
  for (const { number, labels } of fake.items.values())
    if (number <= last && labels.length === 0) fake.label(number, 'drover', 'ada')
}

async function watchAndKill(machines: readonly Machine[], kill: number): Promise<void> {
  const order = kill % 2 === 0 ? machines : machines.toReversed()
  const children = order.map((machine) => ({ watch: machine.start(['watch']), server: machine.server() }))
  await delay(((kill % STEPS) + 1) * (LONGEST_LIFE_MS / STEPS))
  for (const { watch, server } of children) {
    watch.child.kill('SIGKILL')
    if (kill % 3 === 0) server.child.kill('SIGKILL')
  }
  await Promise.all(children.map(({ watch }) => watch.said))
}

type Started = { child: ChildProcess; said: Promise<string> }
type Machine = { home: DrivenHome; start: (args: readonly string[]) => Started; server: () => Started }

function createMachine(fake: FakeForge, scratch: string): Machine {
  const home = createDrivenHome(scratch, {}, { config: CONFIG })
  const { root, git } = home.repository
  if (fake.headOf('main') === undefined) git('push', '--quiet', fake.bare, 'HEAD:refs/heads/main')
  git('remote', 'add', 'origin', fake.address)
  const [bin = ''] = fake.env['PATH']?.split(':') ?? []
  const env = { ...fake.env, ...home.env, PATH: `${bin}:${home.env.PATH}` }
  const start = (args: readonly string[]): Started => {
    const child = spawn(process.execPath, [droverPath(), ...args], {
      cwd: root,
      env,
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    let text = ''
    for (const stream of [child.stdout, child.stderr]) stream.setEncoding('utf8').on('data', (part) => (text += part))
    return { child, said: new Promise((resolve) => child.on('close', () => resolve(text))) }
  }
  let server: Started | undefined
  const isUp = () => server !== undefined && server.child.exitCode === null && server.child.signalCode === null
  return {
    home,
    start,
    server: () => {
      if (server === undefined || !isUp()) server = start(['serve', '--local', '--quiet'])
      return server
    },
  }
}

function commentsOn(fake: FakeForge, number: number): string[] {
  return fake.comments.filter(({ on, author }) => on === number && author === VIEWER).map(({ body }) => body)
}

function areDone(fake: FakeForge): boolean {
  return [...fake.items.keys()].every((number) => commentsOn(fake, number).some((body) => body.includes(' done -->')))
}

/** A machine that has taken no issue has no runs. */
function idsIn(directory: string): string[] {
  return existsSync(directory) ? readdirSync(directory) : []
}

function problemsOf(fake: FakeForge, machines: readonly Machine[]): string[] {
  const runs = machines.flatMap(({ home }) => idsIn(home.runs).map((id) => home.records(id)))
  return [...fake.items.values()].flatMap(({ number, title }) => {
    const comments = commentsOn(fake, number)
    const own = runs.filter((records) => dataOf(records, 'drive_started').some(({ goal }) => goal === title))
    const delivered = own.filter((records) => dataOf(records, 'delivered').length > 0)
    return [
      ...(comments.length === 1 ? [] : [`issue ${number} has ${comments.length} comments`]),
      ...(comments.every((body) => body.includes('drover has finished')) ? [] : [`issue ${number}: ${comments[0]}`]),
      ...(own.length === 1 ? [] : [`issue ${number} has ${own.length} runs`]),
      ...(delivered.length === 1 ? [] : [`${delivered.length} runs of issue ${number} are delivered`]),
    ]
  })
}
