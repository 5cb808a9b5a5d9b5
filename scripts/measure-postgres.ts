/** `node scripts/measure-postgres.ts`: measures a PostgreSQL store; docs/scale.md has the figures. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { cpuMs } from '../bench/served.ts'
import type { ExecutionChange } from '../src/executions/store/execution-store.ts'
import { openStores } from '../src/executions/store/open-stores.ts'
import type { Stores } from '../src/executions/store/stores.ts'
import { systemClock } from '../src/kit/clock.ts'
import { randomIds } from '../src/kit/ids.ts'
import { copyStore } from '../src/store/copy-store.ts'
import { openDatabase } from '../src/store/database.ts'
import { Machines } from '../test/faults/machines.ts'
import { createLargeStore, fillStore } from '../test/support/large-store.ts'
import { createPostgresDatabase, runSql } from '../test/support/postgres.ts'

const EVENTS = 500
const PAGES = 50
const ROUNDS = 5
const PROMPTS = 300
const IDLE_WORKERS = 10
const IDLE_ROWS = 1_000_000
const IDLE_MS = 60_000
const CLIENTS = 16
const COPIED_SESSIONS = 100_000

const open = (url: string) =>
  openStores({ clock: systemClock, ids: randomIds, postgres: { url, machine: 'here', deadAfterMs: 20_000 } })

async function measure<T>(work: () => Promise<T>): Promise<number> {
  const began = performance.now()
  await work()
  return performance.now() - began
}

const directory = mkdtempSync(join(tmpdir(), 'drover-measure-'))
const file = join(directory, 'events.db')
const inFile = await eventCost(await openStores({ clock: systemClock, ids: randomIds, path: file }))
const inPostgres = await eventCost(await open(await createPostgresDatabase()))
console.log(`an event in a save of ${EVENTS}: ${inPostgres.toFixed(3)} ms, in SQLite ${inFile.toFixed(3)} ms`)
console.log(`a claim with 10,000 waiting: ${(await claimCost()).toFixed(1)} ms, the median of 50`)
const [small = 0, large = 0] = await pageCosts([1000, 1_000_000])
console.log(`a page of 100 executions: ${small.toFixed(2)} ms of 1,000, ${large.toFixed(2)} ms of 1,000,000`)
for (const workers of [1, 2, 3])
  console.log(`prompts to an agent of 5 ms on ${workers} workers: ${(await promptRate(workers)).toFixed(0)} per second`)
const idle = await idleCost()
console.log(
  `PostgreSQL with ${IDLE_WORKERS} idle workers and ${IDLE_ROWS} executions: ${idle.share.toFixed(2)} % of a core, ${idle.rate.toFixed(1)} transactions a second`,
)
console.log(`drover store copy of ${COPIED_SESSIONS} sessions: ${((await copyTime()) / 1000).toFixed(1)} s`)
rmSync(directory, { recursive: true })
process.exit()

async function eventCost({ sessions, executions }: Stores): Promise<number> {
  const owner = await sessions.owner()
  const change = (at: number): ExecutionChange => ({
    execution: {
      ...{ id: `exec_${randomIds.hex(12)}`, state: 'running', kind: 'prompt', owner, backend: 'claude' },
      ...{ created_at: new Date().toISOString(), last_seq: EVENTS, prompt: `prompt ${at}` },
    },
    keep: 'events',
    isNew: true,
    events: Array.from({ length: EVENTS }, (_, seq) => ({
      ...{ seq: seq + 1, at: new Date().toISOString(), type: 'message', content: { text: 'a piece of text' } },
    })),
  })
  const saves = 20
  const ms = await measure(async () => {
    for (let at = 0; at < saves; at++) await executions.save([change(at)])
  })
  await sessions.close()
  return ms / saves / EVENTS
}

async function claimCost(): Promise<number> {
  const { queue, sessions } = await open(await createLargeStore({ executions: 100_000, waiting: 10_000 }))
  const facts = { backends: ['claude', 'codex'], repositories: ['/work'], slots: 8 }
  const costs: number[] = []
  for (let at = 0; at < 50; at++)
    costs.push(await measure(async () => queue?.claim(facts, { perKey: 0, perBackend: 0 })))
  await sessions.close()
  return costs.sort((one, other) => one - other)[25] ?? 0
}

/** In turn, after a round for each that is not counted: the first pages also wait for the compiler and for empty caches. */
async function pageCosts(sizes: readonly number[]): Promise<number[]> {
  const tables = await Promise.all(sizes.map(createExecutions))
  for (const stores of tables) await listPages(stores)
  const costs = tables.map((): number[] => [])
  for (let round = 0; round < ROUNDS; round++) {
    for (const [at, stores] of tables.entries()) costs[at]?.push((await measure(() => listPages(stores))) / PAGES)
  }
  for (const { sessions } of tables) await sessions.close()
  return costs.map((all) => all.sort((one, other) => one - other)[Math.floor(ROUNDS / 2)] ?? 0)
}

async function createExecutions(rows: number): Promise<Stores> {
  const url = await createPostgresDatabase()
  await runSql(
    url,
    `INSERT INTO executions (id, state, kind, backend, owner, keep, is_demo, created_at, ended_at, last_seq, bytes, is_usage_due)
     SELECT 'exec_' || lpad(to_hex(n), 24, '0'), 'completed', 'prompt', 'claude', 'x', 'results', 0,
       '2026-01-01T00:00:00.000Z', '2026-01-01T00:00:00.000Z', 0, 300, 0 FROM generate_series(1, ${rows}) AS n`,
  )
  await runSql(url, 'VACUUM ANALYZE executions')
  return await open(url)
}

async function listPages({ executions }: Stores): Promise<void> {
  for (let at = 0; at < PAGES; at++) await executions.list({ backend: 'claude' }, { limit: 100 })
}

/** The agent is a shell script, so that drover is measured and not the start of an agent. */
async function promptRate(workers: number): Promise<number> {
  await using machines = await Machines.start({ deadAfterSecs: 20, pieces: 1, pieceMs: 5 })
  for (let at = 0; at < workers; at++) await machines.worker(`worker-${at}`)
  const { port } = await machines.door('door')
  let left = PROMPTS
  const client = async () => {
    for (; left > 0; left--) {
      const body = JSON.stringify({ backend: 'claude', prompt: 'hello', ephemeral: true })
      const headers = { 'content-type': 'application/json' }
      await (await fetch(`http://127.0.0.1:${port}/api/v1/prompt`, { method: 'POST', body, headers })).text()
    }
  }
  const ms = await measure(() => Promise.all(Array.from({ length: CLIENTS }, client)))
  return (PROMPTS / ms) * 1000
}

/** What its processes use while nothing happens, after what they do once. */
async function idleCost(): Promise<{ share: number; rate: number }> {
  await using machines = await Machines.start({ deadAfterSecs: 20, pieces: 1, pieceMs: 0 })
  await fillStore(machines.url, { executions: IDLE_ROWS })
  for (let at = 0; at < IDLE_WORKERS; at++) await machines.worker(`worker-${at}`)
  await sleep(IDLE_MS / 6)
  const [pids, before] = [await activePids(machines.url), await countTransactions(machines.url)]
  const began = pids.map(cpuMs)
  await sleep(IDLE_MS)
  // Processes that clean up come and go.
  const used = pids.map((pid, at) => cpuMs(pid) - (began[at] ?? 0)).filter((ms) => !Number.isNaN(ms))
  const transactions = (await countTransactions(machines.url)) - before
  return { share: (used.reduce((sum, ms) => sum + ms, 0) / IDLE_MS) * 100, rate: (transactions / IDLE_MS) * 1000 }
}

async function activePids(url: string): Promise<number[]> {
  const rows = await runSql(url, 'SELECT pid FROM pg_stat_activity WHERE pid <> pg_backend_pid()')
  return rows.map(({ pid }) => Number(pid))
}

async function countTransactions(url: string): Promise<number> {
  const [row] = await runSql(url, 'SELECT sum(xact_commit + xact_rollback) AS count FROM pg_stat_database')
  return Number(row?.['count'])
}

async function copyTime(): Promise<number> {
  const path = join(directory, 'copied.db')
  const database = await openDatabase({ path })
  const policy = '{"approval_mode":"default","sandbox_mode":"default","extra":[]}'
  database.exec(`WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${COPIED_SESSIONS})
    INSERT INTO sessions (id, backend, status, created_at, last_used, working_dir, turn_count, input_tokens, output_tokens,
      cached_tokens, reasoning_tokens, tags, metadata, policy, initial_prompt_start)
    SELECT printf('%032x', i), 'claude', 'completed', '2026-01-01T00:00:00.000Z', '2026-01-01T00:00:00.000Z', '/work', 1, 1, 1,
      0, 0, '["a"]', '{}', '${policy}', 'prompt ' || i FROM n`)
  database.close()
  const url = await createPostgresDatabase()
  const ms = await measure(() => copyStore({ path, url, schema: 'drover', machine: 'here' }))
  return ms
}
