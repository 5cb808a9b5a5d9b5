/** Stores executions in a PostgreSQL database that processes on any number of machines share. */
import { type Clock, toTimestamp } from '../../kit/clock.ts'
import { sessionMachineGone } from '../../sessions/faults.ts'
import type { Row } from '../../store/database.ts'
import type { PostgresDatabase, Transaction } from '../../store/postgres-database.ts'
import { notify, type PostgresNotices } from '../../store/postgres-notices.ts'
import type { PostgresOwners } from '../../store/postgres-owners.ts'
import type { Execution, ExecutionEvent, ExecutionPage } from './execution.shape.ts'
import { toExecutionError } from './execution-end.ts'
import { executionIdRange } from './execution-id.ts'
import { toEventsQuery, toFindQuery, toPageQuery } from './execution-query.ts'
import { LISTED, toExecution, toExecutionEvent, toPage } from './execution-rows.ts'
import {
  type EventFilter,
  type ExecutionChange,
  type ExecutionFilter,
  type ExecutionStore,
  KEY_LIFETIME_MS,
  type KeyClaim,
  type StoreNotice,
} from './execution-store.ts'
import { BYTES_BY_KEY, shareExcess } from './fair-share.ts'
import { executionAmbiguous, executionNotFound } from './faults.ts'
import { addEvents, PostgresExecutionTable, type SavedEvents } from './postgres-execution-table.ts'
import { PostgresUsageTable } from './postgres-usage-table.ts'
import { toUsageQuery, type UsageRequest } from './usage-query.ts'
import type { UsageReport } from './usage-report.shape.ts'

/** If notices are lost, readers still see a change after this long. */
const POLL_MS = 2000
/** A prompt is answered even if the store cannot be reached for longer. */
const SAVE_WAIT_MS = 1000
const REMOVE_BATCH = 500

const REMOVE_ENDED = `DELETE FROM executions WHERE number IN (
  SELECT number FROM executions WHERE ended_at < ? ORDER BY ended_at LIMIT ?) RETURNING number`
/** Of one key. `before` is the size of all that are older. */
const REMOVE_OLDEST = `WITH oldest AS (
    SELECT number, sum(bytes) OVER (ORDER BY ended_at, number) - bytes AS before
      FROM executions WHERE key_id = ? AND ended_at IS NOT NULL ORDER BY ended_at, number LIMIT ?)
  DELETE FROM executions WHERE number IN (SELECT number FROM oldest WHERE before < ?) RETURNING bytes`

const STRANDED = `SELECT number, keep, is_usage_due, machine, ${LISTED} FROM executions e
  WHERE owner = '' AND ended_at IS NULL AND machine IS NOT NULL
    AND NOT EXISTS (SELECT 1 FROM processes p WHERE p.machine = e.machine AND p.worker IS NOT NULL)
    AND NOT EXISTS (SELECT 1 FROM session_files f WHERE f.session_id = e.session_id)
    AND NOT EXISTS (SELECT 1 FROM machines m WHERE m.name = e.machine AND m.seen_at > now() - make_interval(secs => ?))
  FOR UPDATE SKIP LOCKED`

export class PostgresExecutionStore implements ExecutionStore {
  readonly pollMs = POLL_MS
  readonly #database: PostgresDatabase
  readonly #owners: PostgresOwners
  readonly #notices: PostgresNotices
  readonly #clock: Clock
  readonly #table: PostgresExecutionTable
  readonly #usage = new PostgresUsageTable()

  constructor(
    database: PostgresDatabase,
    { owners, notices }: { owners: PostgresOwners; notices: PostgresNotices },
    { clock, storeTokenUsage = true }: { clock: Clock; storeTokenUsage?: boolean | undefined },
  ) {
    this.#database = database
    this.#owners = owners
    this.#notices = notices
    this.#clock = clock
    this.#table = new PostgresExecutionTable({ clock, usage: this.#usage, countsTokens: storeTokenUsage })
  }

  async save(changes: readonly ExecutionChange[]): Promise<string[]> {
    const owners = [...new Set(changes.map(({ execution }) => execution.owner))]
    return await this.#database.write(
      async (transaction) => {
        const alive = await this.#owners.hold(transaction, owners)
        const [taken, saved]: [string[], SavedEvents[]] = [[], []]
        for (const change of changes) {
          const isSaved = alive.has(change.execution.owner) && (await this.#table.save(transaction, change, saved))
          if (!isSaved) taken.push(change.execution.id)
        }
        for (const owner of owners) if (!alive.has(owner)) this.#owners.lose(owner)
        await addEvents(transaction, saved)
        await notify(
          transaction,
          'changed',
          changes.map(({ execution }) => execution.id),
        )
        return taken
      },
      { waitMs: SAVE_WAIT_MS },
    )
  }

  watch(listener: (notice: StoreNotice) => void): () => void {
    return this.#notices.watch((notice) => listener(notice as StoreNotice))
  }

  async find(idOrPrefix: string, keyId?: string): Promise<Execution> {
    const { sql, values } = toFindQuery(executionIdRange(idOrPrefix), keyId)
    const [row, another] = await this.#database.all(sql, ...values)
    if (row === undefined) throw executionNotFound({ id: idOrPrefix })
    if (another !== undefined) throw executionAmbiguous({ id: idOrPrefix })
    return toExecution(row)
  }

  async list(filter: ExecutionFilter, { limit }: { limit: number }): Promise<ExecutionPage> {
    const { where, values } = toPageQuery(filter, undefined)
    const sql = `SELECT ${LISTED} FROM executions ${where} ORDER BY number DESC LIMIT ?`
    const rows = await this.#database.all(sql, ...values, limit + 1)
    return toPage(rows, limit)
  }

  async running(): Promise<Execution[]> {
    const sql = `SELECT ${LISTED} FROM executions WHERE ended_at IS NULL ORDER BY number`
    return (await this.#database.all(sql)).map(toExecution)
  }

  async events(id: string, filter: EventFilter): Promise<ExecutionEvent[]> {
    const { sql, values } = toEventsQuery(id, filter)
    return (await this.#database.all(sql, ...values)).map(toExecutionEvent)
  }

  async requestCancel(id: string): Promise<void> {
    await this.#database.write((transaction) => this.#cancel(transaction, 'id', id))
  }

  /** What waits in the queue ends at once. What runs is ended by its process. */
  async #cancel(transaction: Transaction, column: 'id' | 'waiter', value: string): Promise<void> {
    const sql = `UPDATE executions SET is_cancel_requested = 1 WHERE ${column} = ? AND ended_at IS NULL
      RETURNING number, keep, is_usage_due, ${LISTED}`
    const rows = await transaction.all(sql, value)
    const waiting = rows.filter((row) => row['owner'] === '')
    for (const row of waiting) await this.#table.end(transaction, row, { state: 'cancelled' })
    if (waiting.length > 0) await notify(transaction, 'changed', waiting.map(rowId))
    if (rows.length > waiting.length) await notify(transaction, 'cancel', rows.map(rowId))
  }

  async cancelRequests(owner: string): Promise<string[]> {
    const sql = 'SELECT id FROM executions WHERE owner = ? AND ended_at IS NULL AND is_cancel_requested = 1'
    return (await this.#database.all(sql, owner)).map((row) => String(row['id']))
  }

  async loseAllOf(owner: string): Promise<void> {
    await this.#database.write((transaction) => this.endExecutionsOf(transaction, owner))
  }

  /**
   * Ends what a process that is gone was doing. What it has taken from the queue and not started goes back; what it has
   * started is `lost`, because it is not known what its agent has done. What only its clients waited for is cancelled.
   */
  async endExecutionsOf(transaction: Transaction, owner: string): Promise<void> {
    const sql = `SELECT number, keep, is_usage_due, (request IS NOT NULL AND state = 'queued') AS is_unstarted, ${LISTED}
      FROM executions WHERE owner = ? AND ended_at IS NULL FOR UPDATE`
    const rows = await transaction.all(sql, owner)
    const [unstarted, started] = [rows.filter(isUnstarted), rows.filter((row) => !isUnstarted(row))]
    for (const row of started) await this.#table.end(transaction, row, { state: 'lost' })
    if (unstarted.length > 0) {
      await transaction.all("UPDATE executions SET owner = '' WHERE id = ANY(?)", unstarted.map(rowId))
      await notify(transaction, 'queue')
    }
    if (started.length > 0) await notify(transaction, 'changed', started.map(rowId))
    await this.#cancel(transaction, 'waiter', owner)
  }

  /** Ends turns that wait for a machine that is gone, if no other machine can continue their session. */
  async endStranded(goneAfterSecs: number): Promise<void> {
    await this.#database.write(async (transaction) => {
      const rows = await transaction.all(STRANDED, goneAfterSecs)
      for (const row of rows) {
        const gone = sessionMachineGone({ id: String(row['session_id']), machine: String(row['machine']) })
        await this.#table.end(transaction, row, { state: 'failed', error: toExecutionError(gone) })
      }
      if (rows.length > 0) await notify(transaction, 'changed', rows.map(rowId))
    })
  }

  async claimKey(claim: KeyClaim): Promise<KeyClaim | undefined> {
    const now = this.#clock.now()
    const { keyId, key, digest, executionId } = claim
    const expired = toTimestamp(new Date(now.getTime() - KEY_LIFETIME_MS))
    return await this.#database.write(async (transaction) => {
      await transaction.all('DELETE FROM idempotency_keys WHERE created_at < ?', expired)
      const add = `INSERT INTO idempotency_keys (key_id, key, digest, execution_id, created_at) VALUES (?, ?, ?, ?, ?)
        ON CONFLICT DO NOTHING`
      await transaction.all(add, keyId, key, digest, executionId, toTimestamp(now))
      const sql = 'SELECT digest, execution_id FROM idempotency_keys WHERE key_id = ? AND key = ?'
      const row = await transaction.get(sql, keyId, key)
      if (row === undefined || row['execution_id'] === executionId) return undefined
      return { ...claim, digest: String(row['digest']), executionId: String(row['execution_id']) }
    })
  }

  async releaseKey({ keyId, key, executionId }: KeyClaim): Promise<void> {
    const sql = 'DELETE FROM idempotency_keys WHERE key_id = ? AND key = ? AND execution_id = ?'
    await this.#database.all(sql, keyId, key, executionId)
  }

  async usage(request: UsageRequest): Promise<UsageReport> {
    return await this.#usage.read(this.#database, toUsageQuery(request, this.#clock.now()))
  }

  async remove(id: string): Promise<void> {
    await this.#database.all('DELETE FROM executions WHERE id = ? AND ended_at IS NOT NULL', id)
  }

  async removeOld({ endedBefore, maxBytes }: { endedBefore: string; maxBytes: number }): Promise<number> {
    let removed = 0
    for (let count = REMOVE_BATCH; count === REMOVE_BATCH; removed += count) {
      count = (await this.#database.all(REMOVE_ENDED, endedBefore, REMOVE_BATCH)).length
    }
    const used = await this.#database.all(BYTES_BY_KEY)
    const bytesOf = new Map(used.map((row) => [String(row['key_id']), Number(row['bytes'])]))
    for (const [keyId, excess] of shareExcess(bytesOf, maxBytes)) {
      for (let [left, count] = [excess, REMOVE_BATCH]; count === REMOVE_BATCH; removed += count) {
        const rows = await this.#database.all(REMOVE_OLDEST, keyId, REMOVE_BATCH, left)
        left -= rows.reduce((sum, row) => sum + Number(row['bytes']), 0)
        count = rows.length
      }
    }
    return removed
  }
}

const rowId = (row: Row) => String(row['id'])
const isUnstarted = (row: Row) => (row['is_unstarted'] as unknown) === true
