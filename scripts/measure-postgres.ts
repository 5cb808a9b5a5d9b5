/** `node scripts/measure-postgres.ts`: measures a PostgreSQL store; docs/scale.md has the figures. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { ExecutionChange } from '../src/executions/store/execution-store.ts'
import { openStores } from '../src/executions/store/open-stores.ts'
import type { Stores } from '../src/executions/store/stores.ts'
import { systemClock } from '../src/kit/clock.ts'
import { randomIds } from '../src/kit/ids.ts'
import { copyStore } from '../src/store/copy-store.ts'
import { openDatabase } from '../src/store/database.ts'
import { Machines } from '../test/faults/machines.ts'
import { createLargeStore } from '../test/support/large-store.ts'
import { createPostgresDatabase, runSql } from '../test/support/postgres.ts'

const EVENTS = 500
const PAGES = 50
const ROUNDS = 5
const DRY_RUNS = 300
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
  console.log(`dry runs on ${workers} workers: ${(await dryRunRate(workers)).toFixed(0)} per second`)
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

async function dryRunRate(workers: number): Promise<number> {
  await using machines = await Machines.start({ deadAfterSecs: 20, pieces: 1, pieceMs: 0 })
  for (let at = 0; at < workers; at++) await machines.worker(`worker-${at}`)
  const { port } = await machines.door('door')
  let left = DRY_RUNS
  const client = async () => {
    for (; left > 0; left--) {
      const body = JSON.stringify({ backend: 'claude', prompt: 'hello', dry_run: true })
      const headers = { 'content-type': 'application/json' }
      await (await fetch(`http://127.0.0.1:${port}/api/v1/prompt`, { method: 'POST', body, headers })).text()
    }
  }
  const ms = await measure(() => Promise.all(Array.from({ length: CLIENTS }, client)))
  return (DRY_RUNS / ms) * 1000
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
