/** What idle servers and workers cost PostgreSQL, with many rows. */
import { describe, expect, it, onTestFinished } from 'vitest'
import { openStores } from '../src/executions/store/open-stores.ts'
import type { Stores } from '../src/executions/store/stores.ts'
import { daysAgo, systemClock } from '../src/kit/clock.ts'
import { randomIds } from '../src/kit/ids.ts'
import { IS_FULL } from './support/full-counts.ts'
import { createLargeStore } from './support/large-store.ts'
import { createPostgresDatabase, POSTGRES_PROGRAMS, runSql } from './support/postgres.ts'

const EXECUTIONS = IS_FULL ? 1_000_000 : 20_000
/** To fill the tables takes most of it. */
const FILL_TIMEOUT_MS = IS_FULL ? 1_200_000 : 180_000
const FACTS = { backends: ['claude', 'codex'], repositories: [], slots: 8 }
const NO_LIMITS = { perKey: 0, perBackend: 0 }

/** Every statement that a timer, a notice or a start causes. */
const IDLE_ACTS: Readonly<Record<string, (stores: Required<Stores>) => Promise<unknown>>> = {
  'a start settles keys': (stores) => stores.settleKeys(new Map([['ci', 'key-1']])),
  'a start ends what dead processes left': ({ sessions }) => sessions.endAbandonedTurns(),
  'a start reads the runs of its machine': ({ runs }) => runs.board.published(),
  'a worker says what it can run': ({ queue }) => queue.announce(FACTS),
  'a worker looks for work': ({ queue }) => queue.look(),
  'a worker claims work': ({ queue }) => queue.claim(FACTS, NO_LIMITS),
  'a worker claims work within limits': ({ queue }) => queue.claim(FACTS, { perKey: 2, perBackend: 3 }),
  'a worker gives back what it does not run': ({ queue }) => queue.release([]),
  'a worker removes what is not kept': ({ queue }) => queue.removeUnkept(),
  'a worker looks for runs of machines that are gone': ({ runs }) => runs.copies.left(60),
  'a worker looks for runs that others took': ({ runs }) => runs.copies.movedAway(['run-1']),
  'a worker looks for calls': ({ runs }) => runs.calls.take([]),
  'a process looks for requests to cancel': async ({ executions, sessions }) =>
    executions.cancelRequests(await sessions.owner()),
  'a process looks for messages to its agents': async ({ executions, sessions }) =>
    executions.messages.take(await sessions.owner()),
  'a process ends what waits for a machine that is gone': ({ queue }) =>
    (queue as unknown as { endStranded(secs: number): Promise<void> }).endStranded(20),
  'a server delivers notifications': ({ outbox }) => outbox.take('chat'),
  'a server watches executions of others': ({ executions }) => executions.running(),
  'a server removes old executions': ({ executions }) =>
    executions.removeOld({ endedBefore: daysAgo(30, systemClock), maxBytes: Number.MAX_SAFE_INTEGER }),
  'a server removes old copies of runs': ({ runs }) => runs.board.removeOld(daysAgo(30, systemClock)),
  'a server removes old sessions': ({ sessions }) =>
    sessions.deleteUnusedSince(daysAgo(30, systemClock), { isDryRun: false }),
  'a scrape reads the queue': ({ queue }) => queue.load(),
}

/** A look reads no more than this, however many rows there are. */
const FEW_ROWS = 100

/** What was read of the tables that grow: whole tables, and rows by an index. */
async function readsOf(url: string): Promise<{ table: string; scans: number; rows: number }[]> {
  const sql = `SELECT relname AS table, seq_scan::int AS scans, idx_tup_fetch::int AS rows FROM pg_stat_user_tables
    WHERE relname = ANY($1) ORDER BY relname`
  const tables = [
    'executions',
    'execution_events',
    'sessions',
    'session_files',
    'driven_runs',
    'driven_run_events',
    'outbox',
  ]
  return (await runSql(url, sql, [tables])) as { table: string; scans: number; rows: number }[]
}

describe.skipIf(POSTGRES_PROGRAMS === undefined)(`a PostgreSQL store with ${EXECUTIONS} executions`, () => {
  it(
    'is not scanned by anything that runs without a request',
    async () => {
      const url = await createLargeStore({ executions: EXECUTIONS })
      const postgres = { url, machine: 'here', deadAfterMs: 20_000 }
      const acts = Object.keys(IDLE_ACTS)
      for (const act of IS_FULL ? acts : [acts.join(', ')]) {
        await runSql(url, 'SELECT pg_stat_reset()')
        const stores = await openStores({ clock: systemClock, ids: randomIds, postgres })
        for (const each of act.split(', ')) await IDLE_ACTS[each]?.(stores as Required<Stores>)
        // A connection reports what it has read, at the latest when it ends.
        await stores.sessions.close()
        const reads = await readsOf(url)
        const tooMany = reads.filter(({ scans, rows }) => scans > 0 || rows > FEW_ROWS)
        expect({ act, tooMany }).toEqual({ act, tooMany: [] })
      }
    },
    FILL_TIMEOUT_MS,
  )

  it('is cleaned by one process, and by another one when that is gone', async () => {
    const url = await createPostgresDatabase()
    const open = () =>
      openStores({ clock: systemClock, ids: randomIds, postgres: { url, machine: 'here', deadAfterMs: 20_000 } })
    const [first, second] = [await open(), await open()]
    onTestFinished(() => second.sessions.close())
    const leaders = async (...all: Stores[]) => await Promise.all(all.map((stores) => stores.leads?.('retention')))
    expect([await leaders(first), await leaders(second), await leaders(first)]).toEqual([[true], [false], [true]])
    await first.sessions.close()
    expect(await leaders(second)).toEqual([true])
  })

  it('gives a worker the oldest of the key that runs least, of many that wait, and none to two workers', async () => {
    const url = await createLargeStore({ executions: 100, waiting: 400 })
    const open = () =>
      openStores({ clock: systemClock, ids: randomIds, postgres: { url, machine: 'here', deadAfterMs: 20_000 } })
    const workers = (await Promise.all([open(), open(), open(), open()])) as Required<Stores>[]
    for (const { sessions } of workers) onTestFinished(() => sessions.close())
    const claimed: string[] = []
    await Promise.all(
      workers.map(async ({ queue }) => {
        for (let at = 0; at < 10; at++) claimed.push((await queue.claim(FACTS, NO_LIMITS))?.id ?? 'nothing')
      }),
    )
    expect(new Set(claimed).size).toBe(40)
    const shares = await runSql(
      url,
      "SELECT count(*)::int AS n FROM executions WHERE owner NOT IN ('', 'gone') GROUP BY key_id",
    )
    // 20 keys wait. Workers that claim at the same moment do not see each other's claims.
    expect(Math.max(...shares.map(({ n }) => Number(n)))).toBeLessThanOrEqual(4)
    const turns = await runSql(
      url,
      `SELECT count(*)::int AS n FROM executions WHERE owner NOT IN ('', 'gone') AND session_id IS NOT NULL
      AND ended_at IS NULL GROUP BY session_id HAVING count(*) > 1`,
    )
    expect(turns).toEqual([])
  })
})
