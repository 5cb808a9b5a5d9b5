/** The queue of executions in PostgreSQL: rows of `executions` that no process owns yet. */
import { type Clock, toTimestamp } from '../kit/clock.ts'
import type { PostgresDatabase } from '../store/postgres-database.ts'
import { notify } from '../store/postgres-notices.ts'
import type { PostgresOwners } from '../store/postgres-owners.ts'
import { INSERT, toInsert } from './execution-rows.ts'
import type { ClaimedWork, KnownWorker, QueuedWork, QueueLoad, WorkerFacts, WorkQueue } from './work-queue.ts'

/** A number that only claims with limits lock, so that two at once do not exceed a limit. */
const CLAIM_LOCK = 0x64726f77
/** How long other processes can read an execution that nothing is kept of. */
const UNKEPT_MS = 60_000

const FREE = "owner = '' AND ended_at IS NULL"
const HAS_DIRECTORY = `(e.workdir IS NULL OR cardinality(CAST(? AS text[])) = 0 OR EXISTS (
    SELECT 1 FROM unnest(CAST(? AS text[])) AS place WHERE e.workdir = place OR starts_with(e.workdir, place || '/')))`
/** Those of the key that runs least come first, then the oldest. Turns of a session run in order. */
const NEXT = `
  SELECT e.number, e.id, e.request, e.last_seq, e.created_at FROM executions e
  WHERE e.${FREE.replace(' AND ', ' AND e.')} AND e.backend = ANY(CAST(? AS text[]))
    AND (e.machine IS NULL OR e.machine = ?) AND ${HAS_DIRECTORY}
    AND (e.session_id IS NULL OR NOT EXISTS (
      SELECT 1 FROM executions o WHERE o.session_id = e.session_id AND o.number < e.number AND o.ended_at IS NULL))
    AND (? = 0 OR ? > (SELECT count(*) FROM executions r
      WHERE r.ended_at IS NULL AND r.owner <> '' AND r.api_key IS NOT DISTINCT FROM e.api_key))
    AND (? = 0 OR ? > (SELECT count(*) FROM executions r
      WHERE r.ended_at IS NULL AND r.owner <> '' AND r.backend = e.backend))
  ORDER BY (SELECT count(*) FROM executions r
      WHERE r.ended_at IS NULL AND r.owner <> '' AND r.api_key IS NOT DISTINCT FROM e.api_key), e.number
  LIMIT 1 FOR UPDATE OF e SKIP LOCKED`

export class PostgresWorkQueue implements WorkQueue {
  readonly machine: string
  readonly #database: PostgresDatabase
  readonly #owners: PostgresOwners
  readonly #clock: Clock

  constructor(database: PostgresDatabase, { owners, clock }: { owners: PostgresOwners; clock: Clock }) {
    this.#database = database
    this.#owners = owners
    this.#clock = clock
    this.machine = owners.machine
  }

  async add({ execution, keep, countsUsage, request, machine, waiter }: QueuedWork): Promise<void> {
    const content = JSON.stringify({ state: 'queued' })
    const row = toInsert(
      { ...execution, owner: '', last_seq: 1 },
      { keep, isUsageDue: countsUsage, eventBytes: content.length },
    )
    await this.#database.write(async (transaction) => {
      const added = await transaction.get(`${INSERT} RETURNING number`, ...row)
      const number = added?.['number']
      const more = 'UPDATE executions SET request = ?, machine = ?, waiter = ? WHERE number = ?'
      await transaction.all(more, request, machine ?? null, waiter ?? null, number)
      const event = `INSERT INTO execution_events (execution, seq, at, type, content) VALUES (?, 1, ?, 'state', ?)`
      await transaction.all(event, number, execution.created_at, content)
      await notify(transaction, 'queue')
      await notify(transaction, 'changed', [execution.id])
    })
  }

  async claim(
    { backends, repositories }: WorkerFacts,
    { perKey, perBackend }: { perKey: number; perBackend: number },
  ): Promise<ClaimedWork | undefined> {
    const owner = await this.#owners.name()
    return await this.#database.write(async (transaction) => {
      if (!(await this.#owners.hold(transaction, [owner])).has(owner)) {
        this.#owners.lose(owner)
        return undefined
      }
      if (perKey + perBackend > 0) await transaction.get('SELECT pg_advisory_xact_lock(?)', CLAIM_LOCK)
      const limits = [perKey, perKey, perBackend, perBackend]
      const row = await transaction.get(NEXT, backends, this.machine, repositories, repositories, ...limits)
      if (row === undefined) return undefined
      await transaction.all('UPDATE executions SET owner = ? WHERE number = ?', owner, row['number'])
      return {
        id: String(row['id']),
        request: String(row['request']),
        lastSeq: Number(row['last_seq']),
        createdAt: String(row['created_at']),
      }
    })
  }

  async announce(worker: WorkerFacts | undefined): Promise<void> {
    await this.#owners.announce(worker === undefined ? null : JSON.stringify(worker))
  }

  async workers(): Promise<KnownWorker[]> {
    const rows = await this.#database.all('SELECT machine, worker FROM processes WHERE worker IS NOT NULL')
    return rows.map((row) => ({ machine: String(row['machine']), ...JSON.parse(String(row['worker'])) }))
  }

  async machineOf(session: string): Promise<string | undefined> {
    const row = await this.#database.get('SELECT machine FROM sessions WHERE id = ?', session)
    return row && String(row['machine'])
  }

  async load(): Promise<QueueLoad> {
    const sql = `SELECT count(*) FILTER (WHERE owner = '') AS waiting, count(*) FILTER (WHERE owner <> '') AS running,
        min(created_at) FILTER (WHERE owner = '') AS oldest
      FROM executions WHERE ended_at IS NULL AND request IS NOT NULL`
    const row = await this.#database.get(sql)
    const oldest = row?.['oldest']
    const oldestMs = typeof oldest === 'string' ? this.#clock.now().getTime() - Date.parse(oldest) : 0
    const [waiting, running] = [Number(row?.['waiting']), Number(row?.['running'])]
    return { waiting, running, oldestSecs: Math.max(0, oldestMs / 1000) }
  }

  async removeUnkept(id?: string): Promise<void> {
    const before = toTimestamp(new Date(this.#clock.now().getTime() - UNKEPT_MS))
    const [ended, value] = id === undefined ? ['ended_at < ?', before] : ['ended_at IS NOT NULL AND id = ?', id]
    await this.#database.write(async (transaction) => {
      await transaction.all(`DELETE FROM executions WHERE keep = 'none' AND ${ended}`, value)
      const emptied = `UPDATE executions SET last_seq = 0
        WHERE keep = 'results' AND last_seq > 0 AND ${ended} RETURNING number`
      const numbers = (await transaction.all(emptied, value)).map((row) => row['number'])
      if (numbers.length > 0) await transaction.all('DELETE FROM execution_events WHERE execution = ANY(?)', numbers)
    })
  }
}
