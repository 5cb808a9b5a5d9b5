/** The cost of executions: a page in a small and in a large store, and the CPU time of a stored event. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { request } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { NATIVE_BACKENDS } from '../src/agents/adapter/agent.ts'
import { NO_USAGE } from '../src/agents/adapter/token-usage.ts'
import type { Execution } from '../src/executions/store/execution.shape.ts'
import { newExecutionId } from '../src/executions/store/execution-id.ts'
import type { ExecutionFilter } from '../src/executions/store/execution-store.ts'
import { openStores } from '../src/executions/store/open-stores.ts'
import type { Stores } from '../src/executions/store/stores.ts'
import { systemClock, toTimestamp } from '../src/kit/clock.ts'
import { randomIds } from '../src/kit/ids.ts'
import { measure, type Timing } from './measure.ts'
import { withPublished } from './published.ts'
import { type Served, withServer } from './served.ts'

const SMALL = 1_000
const LARGE = 100_000
const PAGE_GOAL = 1.5
const ROUNDS = 60
const PAGE = { limit: 50 }
const PARENT = 'exec_parent'

const FILTERS: Record<string, ExecutionFilter> = {
  'page of all': {},
  'page by state': { state: 'failed' },
  'page by backend': { backend: 'codex' },
  'page by backend and state': { backend: 'codex', state: 'completed' },
  'page by key': { keyId: 'key-3' },
  'page of a session': { session: 'session-5' },
  'page of a batch': { parent: PARENT },
  'page of the last tenth of time': { since: momentOf(0.9) },
}

const EVENTS = 100_000
const EVENT_ROUNDS = 5
const EVENT_GOAL_US = 30

export async function benchExecutions(): Promise<string> {
  return [await benchPages(), await withPublished(benchEvents)].join('\n\n')
}

async function benchPages(): Promise<string> {
  const home = mkdtempSync(join(tmpdir(), 'drover-bench-'))
  try {
    const small = await fill(join(home, 'small', 'sessions.db'), SMALL)
    const large = await fill(join(home, 'large', 'sessions.db'), LARGE)
    const timings = await measure(
      Object.entries(FILTERS).flatMap(([name, filter]) =>
        Object.entries({ small, large }).map(([size, { executions }]) => ({
          name: `${name} in the ${size}`,
          once: async () => void (await executions.list(filter, PAGE)),
        })),
      ),
      ROUNDS,
    )
    await Promise.all([small.sessions.close(), large.sessions.close()])
    return formatPages(timings)
  } finally {
    rmSync(home, { recursive: true, force: true })
  }
}

function formatPages(timings: readonly Timing[]): string {
  const names = Object.keys(FILTERS)
  const width = Math.max(...names.map((name) => name.length))
  const rows = names.map((name, at) => {
    const [small, large] = [timings[at * 2]?.medianMs ?? Number.NaN, timings[at * 2 + 1]?.medianMs ?? Number.NaN]
    const cells = [`${small.toFixed(3)} ms`, `${large.toFixed(3)} ms`, `${(large / small).toFixed(2)}x`]
    return `  ${name.padEnd(width)}  ${cells.map((cell) => cell.padStart(11)).join('  ')}`
  })
  const head = [SMALL, LARGE].map((count) => count.toLocaleString('en').padStart(11)).join('  ')
  return [
    `Executions, by the number of stored executions (pages of ${PAGE.limit})`,
    `  ${' '.repeat(width)}  ${head}  ${'growth'.padStart(11)}`,
    ...rows,
    `  goal: at most ${PAGE_GOAL.toFixed(2)}x`,
  ].join('\n')
}

async function fill(path: string, count: number): Promise<Stores> {
  const stores = await openStores({ path, clock: systemClock, ids: randomIds, waitMs: 0 })
  const changes = Array.from({ length: count }, (_, at) => ({
    execution: executionNumber(at, count),
    keep: 'results' as const,
    events: [],
    isNew: true,
  }))
  await stores.executions.save(changes)
  return stores
}

/** Distributes all filter values evenly, so that both stores have the same shares. */
function executionNumber(at: number, count: number): Execution {
  const moment = momentOf(at / count)
  return {
    id: newExecutionId(randomIds),
    state: at % 5 === 0 ? 'failed' : 'completed',
    kind: 'prompt',
    ...(at % 20 === 0 && { parent_id: PARENT }),
    session_id: `session-${at % 20}`,
    backend: NATIVE_BACKENDS[at % NATIVE_BACKENDS.length] ?? 'claude',
    model: `model-${at % 4}`,
    workdir: `/home/user/project-${at % 20}`,
    owner: 'bench',
    api_key: `name-${at % 10}`,
    key_id: `key-${at % 10}`,
    created_at: moment,
    started_at: moment,
    ended_at: moment,
    usage: NO_USAGE,
    last_seq: 0,
    prompt: `prompt number ${at}`,
    result: { output: `answer number ${at}` },
  }
}

/** A moment at this share of the last hundred days. */
function momentOf(share: number): string {
  return toTimestamp(new Date(Date.UTC(2026, 0, 1) + share * 100 * 24 * 3_600_000))
}

/** An agent that prints as many events as fast as they are read. */
const AGENT = `#!/bin/sh
printf '%s\\n' '{"type":"system","subtype":"init","session_id":"13cdfb0e-45f8-4d6b-8c3f-10dfe48e3870","model":"bench"}'
yes '{"type":"stream_event","event":{"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"some words of an answer "}}}' | head -n ${EVENTS}
printf '%s\\n' '{"type":"result","subtype":"success","is_error":false,"result":"done","session_id":"13cdfb0e-45f8-4d6b-8c3f-10dfe48e3870"}'
`

async function benchEvents(drover: string): Promise<string> {
  const directory = mkdtempSync(join(tmpdir(), 'drover-bench-'))
  const agent = join(directory, 'claude')
  writeFileSync(agent, AGENT, { mode: 0o755 })
  const serving = (keep: string) => ({
    args: [drover, 'serve', '-p', '0'],
    env: { DROVER_BACKENDS_CLAUDE_COMMAND: agent, DROVER_EXECUTIONS_KEEP: keep },
  })
  try {
    return await withServer(serving('none'), (none) =>
      withServer(serving('events'), async (stored) => formatEvents(await compareEvents({ none, stored }))),
    )
  } finally {
    rmSync(directory, { recursive: true, force: true })
  }
}

/** The CPU time of the server for each event of a stream, in microseconds: the median of some streams. */
async function compareEvents(servers: Record<'none' | 'stored', Served>): Promise<Record<'none' | 'stored', number>> {
  const figures = { none: [] as number[], stored: [] as number[] }
  for (let round = 0; round <= EVENT_ROUNDS; round++) {
    for (const name of ['none', 'stored'] as const) {
      const server = servers[name]
      const before = server.cpuMs()
      await readStream(server.port)
      // The first stream is not measured, because its code is not compiled yet.
      if (round > 0) figures[name].push(((server.cpuMs() - before) * 1000) / EVENTS)
    }
  }
  const median = (values: number[]) => values.sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN
  return { none: median(figures.none), stored: median(figures.stored) }
}

function readStream(port: number): Promise<void> {
  const body = JSON.stringify({ backend: 'claude', prompt: 'x', output_format: 'stream-json' })
  const headers = { 'content-type': 'application/json' }
  return new Promise((resolve, reject) => {
    const outgoing = request({ port, path: '/api/v1/prompt', method: 'POST', headers }, (response) => {
      response.resume().on('end', resolve).on('error', reject)
    })
    outgoing.on('error', reject).end(body)
  })
}

function formatEvents({ none, stored }: Record<'none' | 'stored', number>): string {
  const cell = (us: number) => `${us.toFixed(1)} us`.padStart(9)
  return [
    `CPU time of the server for each event of a stream of ${EVENTS.toLocaleString('en')} events`,
    `  not stored  ${cell(none)}`,
    `  stored      ${cell(stored)}`,
    `  difference  ${cell(stored - none)}`,
    `  goal: at most ${EVENT_GOAL_US} us`,
  ].join('\n')
}
