/**
 * A prompt to an agent that is already up, compared with starting the agent by hand. The agents are the real ones on PATH,
 * with a model server on this machine that answers at once; without any, the scripted agents of the tests.
 */
import { spawn } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { NATIVE_BACKENDS } from '../src/agents/adapter/agent.ts'
import { findProgram } from '../src/kit/process/find-program.ts'
import { createAgentSetup } from '../test/real/agent-setup.ts'
import { installWarmAgents } from '../test/support/warm-agents.ts'
import { memoryOfChildren } from './child-memory.ts'
import { withPublished } from './published.ts'
import { type Served, withServer } from './served.ts'
import { byHand, type Command, overHttp, type Subject, startCommand, type Taken, withCommand } from './warm-prompts.ts'

const ROUNDS = 9
const UPSTREAM = join(import.meta.dirname, '..', 'test', 'fake-upstream', 'server.mjs')
/** An agent that was just started slows down what runs beside it; a user does not ask again at once either. */
const PAUSE_MS = 1200
/** At most this share of the time by hand, over HTTP. */
const GOALS = {
  claude: { first: 0.15, next: 0.06 },
  codex: { first: 0.4, next: undefined },
  gemini: { first: 0.1, next: undefined },
}

export async function benchWarm(): Promise<string> {
  const found = NATIVE_BACKENDS.map((backend) => {
    return { backend, path: findProgram(backend, { env: process.env, cwd: process.cwd() }) }
  })
  const missing = found.flatMap(({ backend, path }) => (path === undefined ? [backend] : []))
  if (missing.length === found.length) return await benchScripted()
  const tables: string[] = []
  await withUpstream(async (port) => {
    for (const { backend, path } of found) {
      if (path === undefined) continue
      const setup = createAgentSetup(backend, path, port)
      try {
        const subject = { backend, program: path, env: setup.env('plain'), work: setup.work, isReal: true }
        tables.push(await benchAgent(`The real ${backend}, with a model that answers at once`, subject))
      } finally {
        setup.remove()
      }
    }
  })
  const notes = missing.length === 0 ? [] : [`Not on PATH, so not measured: ${missing.join(', ')}`]
  return [...tables, ...notes].join('\n\n')
}

/** They start as fast as Node does, so their ratios say little about real agents. */
async function benchScripted(): Promise<string> {
  const home = mkdtempSync(join(tmpdir(), 'drover-bench-'))
  const [bin, work] = [installWarmAgents(join(home, 'bin')), join(home, 'work')]
  mkdirSync(work)
  try {
    const env = { HOME: home, PATH: `${bin}:/usr/bin:/bin` }
    const tables: string[] = []
    for (const backend of ['claude', 'codex'] as const) {
      const title = `No real agent is on PATH: a scripted ${backend}, which starts as fast as Node does`
      tables.push(await benchAgent(title, { backend, program: join(bin, backend), env, work, isReal: false }))
    }
    return tables.join('\n\n')
  } finally {
    rmSync(home, { recursive: true, force: true })
  }
}

async function benchAgent(title: string, subject: Subject): Promise<string> {
  return await withPublished(async (drover) => {
    const envOf = (isWarm: boolean) => ({
      ...subject.env,
      DROVER_HOME: join(subject.env['HOME'] ?? '', isWarm ? '.drover-warm' : '.drover-cold'),
      DROVER_WARM_ENABLED: String(isWarm),
    })
    const serve = (isWarm: boolean) => ({ args: [drover, 'serve', '--port', '0', '--quiet'], env: envOf(isWarm) })
    return await withServer(serve(false), (cold) =>
      withServer(serve(true), async (warm) => {
        const taken = await compare(subject, { cold, warm, command: { drover, env: envOf(true) } })
        return [formatTable(title, taken), ...verdicts(subject, taken), memoryLine(warm)].join('\n')
      }),
    )
  })
}

type Row = { name: string; firstMs: number; doneMs: number }
type Ways = { cold: Served; warm: Served; command: Command }

const HAND = 'the agent by hand'
const HTTP = { cold: 'over HTTP, cold', first: 'over HTTP, warm, new session', next: 'over HTTP, warm, next prompt' }
const START = 'drover --version'
const COMMAND = { cold: 'drover "…", cold', first: 'drover "…", warm, new session', next: 'drover resume, warm' }

/** Every round goes all ways once. Each row is a median. */
async function compare(subject: Subject, { cold, warm, command }: Ways): Promise<Row[]> {
  const taken = new Map<string, Taken[]>()
  const measure = async <T extends Taken>(name: string, ask: () => Promise<T>): Promise<T> => {
    const times = await ask()
    taken.set(name, [...(taken.get(name) ?? []), times])
    return times
  }
  const { stderr } = await withCommand(subject, { ...command, flags: ['--verbose'] })
  if (!stderr.includes('runs in the server')) throw new Error(`the command does not use the server: ${stderr}`)
  await overHttp(subject, warm)
  for (let round = 0; round <= ROUNDS; round++) {
    // The first round only warms up.
    if (round === 1) taken.clear()
    await measure(HAND, () => byHand(subject))
    await measure(HTTP.cold, () => overHttp(subject, cold))
    await measure(COMMAND.cold, () => withCommand(subject, { ...command, flags: ['--direct'] }))
    await measure(START, () => startCommand(subject, command))
    await delay(PAUSE_MS)
    const asked = await measure(HTTP.first, () => overHttp(subject, warm))
    await delay(PAUSE_MS)
    await measure(HTTP.next, () => overHttp(subject, warm, asked.sessionId))
    await delay(PAUSE_MS)
    const { sessionId } = await measure(COMMAND.first, () => withCommand(subject, command))
    await delay(PAUSE_MS)
    await measure(COMMAND.next, () => withCommand(subject, { ...command, session: sessionId }))
  }
  const order = [HAND, ...Object.values(HTTP), ...Object.values(COMMAND), START]
  return order.map((name) => {
    const times = taken.get(name) ?? []
    return {
      name,
      firstMs: median(times.map((each) => each.firstMs)),
      doneMs: median(times.map((each) => each.doneMs)),
    }
  })
}

function formatTable(title: string, rows: readonly Row[]): string {
  const base = doneMsOf(rows, HAND)
  const width = Math.max(...rows.map(({ name }) => name.length))
  const cells = (values: readonly string[]) => values.map((value) => value.padStart(12)).join('')
  const lines = rows.map(({ name, firstMs, doneMs }) => {
    return `  ${name.padEnd(width)}${cells([ms(firstMs), ms(doneMs), `${(doneMs / base).toFixed(2)}x`])}`
  })
  return [title, `  ${' '.repeat(width)}${cells(['first text', 'done', 'ratio'])}`, ...lines].join('\n')
}

function verdicts({ backend, isReal }: Subject, rows: readonly Row[]): string[] {
  const { first, next } = GOALS[backend]
  const forNext = next === undefined ? '' : `, for its next prompt at most ${next.toFixed(2)}x`
  const added = [
    [HTTP.first, COMMAND.first],
    [HTTP.next, COMMAND.next],
  ].map(([http = '', command = '']) => ms(doneMsOf(rows, command) - doneMsOf(rows, http)))
  const goal = `  goal over HTTP: for a new session at most ${first.toFixed(2)}x${forNext}`
  return [
    ...(isReal ? [goal] : []),
    `  the command adds ${added.join(' and ')} to HTTP; its own start takes ${ms(doneMsOf(rows, START))}`,
  ]
}

function memoryLine({ pid }: Served): string {
  const sizes = memoryOfChildren(pid).toSorted((a, b) => a - b)
  const [least, most] = [sizes[0] ?? Number.NaN, sizes.at(-1) ?? Number.NaN]
  return `  memory of ${sizes.length} processes that stay up: ${least.toFixed(0)} to ${most.toFixed(0)} MiB each, with all that they have started`
}

function doneMsOf(rows: readonly Row[], wanted: string): number {
  return rows.find(({ name }) => name === wanted)?.doneMs ?? Number.NaN
}

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN
}

function ms(value: number): string {
  return `${value.toFixed(0)} ms`
}

export async function withUpstream(work: (port: number) => Promise<void>): Promise<void> {
  const log = join(mkdtempSync(join(tmpdir(), 'drover-upstream-')), 'log')
  const server = spawn(process.execPath, [UPSTREAM, '0', log], { stdio: ['ignore', 'pipe', 'inherit'] })
  try {
    const first = await new Promise<string>((resolve) => server.stdout.once('data', (text) => resolve(String(text))))
    await work(JSON.parse(first).listening)
  } finally {
    server.kill()
    rmSync(dirname(log), { recursive: true })
  }
}
