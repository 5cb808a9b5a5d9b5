/** The longest time that the server's event loop is blocked by requests about prompts of 5 to 10 MB. */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { request } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { NO_USAGE } from '../src/agents/adapter/token-usage.ts'
import { openStores } from '../src/executions/store/open-stores.ts'
import { systemClock } from '../src/kit/clock.ts'
import { randomIds } from '../src/kit/ids.ts'
import { type Served, withServer } from './served.ts'

const GOAL_MS = 50
const ROUNDS = 5
const SESSIONS = 120
const MEGABYTE = 1_000_000
/** Half of it must be escaped in JSON, and every tenth character takes two bytes. */
const LINE = 'say "hällo",\n\t'

export async function benchLargePrompts(drover: string): Promise<string> {
  const home = mkdtempSync(join(tmpdir(), 'drover-bench-'))
  try {
    const ids = await fill(join(home, 'sessions.db'))
    const delays = join(home, 'delays')
    const env = { DROVER_HOME: home, NODE_OPTIONS: `--import=${probe(delays)}` }
    return await withServer({ args: [drover, 'serve', '--demo', '-p', '0'], env }, async (served) =>
      format(await measureAll(served, { ids, delays }), served),
    )
  } finally {
    rmSync(home, { recursive: true, force: true })
  }
}

/** A module that writes the longest delay of the event loop to a file whenever the process gets SIGUSR2, and starts over. */
function probe(path: string): string {
  const code = `
    import { writeFileSync } from 'node:fs'
    import { monitorEventLoopDelay } from 'node:perf_hooks'
    const delays = monitorEventLoopDelay({ resolution: 1 })
    process.on('SIGUSR2', () => {
      writeFileSync(${JSON.stringify(path)}, String(delays.max / 1e6))
      delays.disable()
      delays.reset()
      delays.enable()
    })
    delays.enable()`
  return `data:text/javascript;base64,${Buffer.from(code).toString('base64')}`
}

type Operation = { name: string; ask: (round: number) => Asked }
type Asked = { path: string; method?: string; body?: object }
type Measured = { name: string; worstMs: number; medianMs: number }

async function measureAll(served: Served, { ids, delays }: { ids: string[]; delays: string }): Promise<Measured[]> {
  const large = LINE.repeat(Math.floor((9.5 * MEGABYTE) / Buffer.byteLength(JSON.stringify(LINE))))
  const path = (round: number) => `/api/v1/sessions/${ids[round]}`
  const operations: Operation[] = [
    { name: 'nothing', ask: () => ({ path: '/health' }) },
    { name: 'list 100 sessions', ask: () => ({ path: '/api/v1/sessions' }) },
    { name: 'get a session', ask: (round) => ({ path: path(round) }) },
    { name: 'rename a session', ask: (round) => ({ path: path(round), method: 'PATCH', body: { title: 'Large' } }) },
    { name: 'delete a session', ask: (round) => ({ path: path(round), method: 'DELETE' }) },
    { name: 'store a new session', ask: () => ({ path: '/api/v1/prompt', method: 'POST', body: prompt(large, true) }) },
    { name: 'run a prompt', ask: () => ({ path: '/api/v1/prompt', method: 'POST', body: prompt(large, false) }) },
  ]
  const worst = async () => {
    process.kill(served.pid, 'SIGUSR2')
    await delay(50)
    return Number(readFileSync(delays, 'utf8'))
  }
  const measured: Measured[] = []
  for (const { name, ask } of operations) {
    const times: number[] = []
    const blocked: number[] = []
    for (let round = 0; round < ROUNDS; round++) {
      await worst()
      const startedAt = performance.now()
      await send(served.port, ask(round))
      times.push(performance.now() - startedAt)
      blocked.push(await worst())
    }
    times.sort((one, other) => one - other)
    measured.push({ name, worstMs: Math.max(...blocked), medianMs: times[Math.floor(ROUNDS / 2)] ?? Number.NaN })
  }
  return measured
}

function prompt(text: string, isDryRun: boolean): object {
  return { backend: 'claude', prompt: text, dry_run: isDryRun }
}

function format(measured: readonly Measured[], served: Served): string {
  const width = Math.max(...measured.map(({ name }) => name.length))
  const rows = measured.map(({ name, worstMs, medianMs }) => {
    const cells = [`${medianMs.toFixed(0)} ms`, `${worstMs.toFixed(0)} ms`]
    return `  ${name.padEnd(width)}  ${cells.map((cell) => cell.padStart(10)).join('  ')}${worstMs > GOAL_MS ? '  OVER' : ''}`
  })
  const head = ['median', 'blocked'].map((cell) => cell.padStart(10)).join('  ')
  return [
    `Requests about prompts of 5 to 10 MB, with ${SESSIONS} such sessions`,
    `  ${' '.repeat(width)}  ${head}`,
    ...rows,
    `  goal: the event loop is blocked for at most ${GOAL_MS} ms; the server has ${served.residentMiB().toFixed(0)} MiB`,
  ].join('\n')
}

/** Stores finished sessions with prompts of 5 to 10 MB. */
async function fill(path: string): Promise<string[]> {
  const { sessions: store } = await openStores({ path, clock: systemClock, ids: randomIds })
  const ids: string[] = []
  for (let at = 0; at < SESSIONS; at++) {
    const bytes = (5 + (5 * at) / SESSIONS) * MEGABYTE
    const { id } = await store.create({
      backend: 'claude',
      working_dir: '/home/user/project',
      initial_prompt: LINE.repeat(bytes / Buffer.byteLength(LINE)),
      tags: [],
      metadata: {},
      policy: { approval_mode: 'default', sandbox_mode: 'default', extra: [] },
    })
    await store.finishTurn(id, { outcome: 'completed', usage: NO_USAGE })
    ids.push(id)
  }
  await store.close()
  return ids.toReversed()
}

function send(port: number, { path, method = 'GET', body }: Asked): Promise<void> {
  return new Promise((resolve, reject) => {
    const headers = body === undefined ? {} : { 'content-type': 'application/json' }
    const outgoing = request({ host: '127.0.0.1', port, path, method, headers, agent: false })
    outgoing.on('error', reject)
    outgoing.on('response', (response) => {
      response.resume()
      response.on('end', () =>
        response.statusCode === 200 ? resolve() : reject(new Error(`${path}: ${response.statusCode}`)),
      )
    })
    outgoing.end(body === undefined ? undefined : JSON.stringify(body))
  })
}
