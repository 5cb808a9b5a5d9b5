/** Stores executions in the same SQLite file as the sessions. */
import { setImmediate as nextTurn } from 'node:timers/promises'
import { type Clock, toTimestamp } from '../../kit/clock.ts'
import type { Row, StoreDatabase } from '../../store/database.ts'
import type { Execution, ExecutionEvent, ExecutionPage } from './execution.shape.ts'
import { executionIdRange } from './execution-id.ts'
import { toEventsQuery, toFindQuery, toPageQuery } from './execution-query.ts'
import {
  INSERT,
  LISTED,
  toExecution,
  toExecutionEvent,
  toInsert,
  toPage,
  toUpdate,
  UPDATE,
  writeContents,
} from './execution-rows.ts'
import { isFinal } from './execution-states.ts'
import {
  type EventFilter,
  type ExecutionChange,
  type ExecutionFilter,
  type ExecutionStore,
  KEY_LIFETIME_MS,
  type KeyClaim,
} from './execution-store.ts'
import { BYTES_BY_KEY, shareExcess } from './fair-share.ts'
import { executionAmbiguous, executionNotFound } from './faults.ts'
import { toUsageEntry } from './usage-entry.ts'
import { toUsageQuery, type UsageRequest } from './usage-query.ts'
import type { UsageReport } from './usage-report.shape.ts'
import { UsageTable } from './usage-table.ts'

/** Events that are removed in one transaction: few enough to block neither other processes nor our event loop for long. */
const REMOVE_BATCH = 2000
const ENDED = 'SELECT number FROM executions WHERE ended_at < ? ORDER BY ended_at LIMIT 1'
const OLDEST_OF_KEY = `SELECT number, bytes FROM executions WHERE key_id = ? AND ended_at IS NOT NULL
  ORDER BY ended_at LIMIT 1`
/** By how many rows the order of creation may differ from the order in which rows are added. */
const OUT_OF_ORDER = 1000
/** A prompt is answered even if the store is locked for longer. */
const SAVE_WAIT_MS = 1000

/** Readers of executions of other processes look into the file this often. */
const POLL_MS = 200

export class SqliteExecutionStore implements ExecutionStore {
  readonly pollMs = POLL_MS
  readonly #database: StoreDatabase
  readonly #clock: Clock
  readonly #usage: UsageTable
  readonly #countsTokens: boolean

  constructor(database: StoreDatabase, { clock, storeTokenUsage = true }: { clock: Clock; storeTokenUsage?: boolean }) {
    this.#database = database
    this.#clock = clock
    this.#usage = new UsageTable(database)
    this.#countsTokens = storeTokenUsage
  }

  /** A process whose lock is free is dead, so what it runs cannot be taken from it while it continues. */
  async save(changes: readonly ExecutionChange[]): Promise<string[]> {
    await this.#database.writeUnsynced(
      () => {
        for (const change of changes) this.#saveChange(change)
      },
      { waitMs: SAVE_WAIT_MS },
    )
    return []
  }

  /** SQLite has no notices. */
  watch(): () => void {
    return () => {}
  }

  async find(idOrPrefix: string, keyId?: string): Promise<Execution> {
    const { sql, values } = toFindQuery(executionIdRange(idOrPrefix), keyId)
    const [row, another] = await this.#database.read(() => this.#database.all(sql, ...values))
    if (row === undefined) throw executionNotFound({ id: idOrPrefix })
    if (another !== undefined) throw executionAmbiguous({ id: idOrPrefix })
    return toExecution(row)
  }

  async list(filter: ExecutionFilter, { limit }: { limit: number }): Promise<ExecutionPage> {
    const rows = await this.#database.read(() => {
      const first = filter.since === undefined ? undefined : this.#firstSince(filter.since)
      const { where, values } = toPageQuery(filter, first)
      const sql = `SELECT ${LISTED} FROM executions ${where} ORDER BY number DESC LIMIT ?`
      return this.#database.all(sql, ...values, limit + 1)
    })
    return toPage(rows, limit)
  }

  /**
   * A row from which on all rows may be as new as `since`. Rows are added in about the order of their creation, so it is
   * found without an index.
   */
  #firstSince(since: string): number {
    const next = 'SELECT number, created_at FROM executions WHERE number > ? ORDER BY number LIMIT 1'
    let low = 0
    let high = Number(this.#database.get('SELECT max(number) AS number FROM executions')?.['number'] ?? 0)
    while (low < high) {
      const middle = Math.floor((low + high) / 2)
      const row = this.#database.get(next, middle)
      if (row === undefined || String(row['created_at']) >= since) high = middle
      else low = Number(row['number'])
    }
    return low - OUT_OF_ORDER
  }

  async running(): Promise<Execution[]> {
    const sql = `SELECT ${LISTED} FROM executions WHERE ended_at IS NULL ORDER BY number`
    return (await this.#database.read(() => this.#database.all(sql))).map(toExecution)
  }

  async events(id: string, filter: EventFilter): Promise<ExecutionEvent[]> {
    const { sql, values } = toEventsQuery(id, filter)
    return (await this.#database.read(() => this.#database.all(sql, ...values))).map(toExecutionEvent)
  }

  async requestCancel(id: string): Promise<void> {
    const sql = 'UPDATE executions SET is_cancel_requested = 1 WHERE id = ? AND ended_at IS NULL'
    await this.#database.write(() => this.#database.run(sql, id))
  }

  async cancelRequests(owner: string): Promise<string[]> {
    const sql = 'SELECT id FROM executions WHERE owner = ? AND ended_at IS NULL AND is_cancel_requested = 1'
    return (await this.#database.read(() => this.#database.all(sql, owner))).map((row) => String(row['id']))
  }

  async loseAllOf(owner: string): Promise<void> {
    const sql = `SELECT number, keep, is_usage_due, ${LISTED} FROM executions
      WHERE owner = ? AND ended_at IS NULL`
    const find = () => this.#database.all(sql, owner)
    const hasAny = await this.#database.read(() => find().length > 0)
    if (!hasAny) return
    await this.#database.write(() => {
      for (const row of find()) this.#lose(row)
    })
  }

  async claimKey(claim: KeyClaim): Promise<KeyClaim | undefined> {
    const now = this.#clock.now()
    const expired = toTimestamp(new Date(now.getTime() - KEY_LIFETIME_MS))
    return await this.#database.write(() => {
      this.#database.run('DELETE FROM idempotency_keys WHERE created_at < ?', expired)
      const sql = 'SELECT digest, execution_id FROM idempotency_keys WHERE key_id = ? AND key = ?'
      const row = this.#database.get(sql, claim.keyId, claim.key)
      if (row !== undefined) {
        return { ...claim, digest: String(row['digest']), executionId: String(row['execution_id']) }
      }
      const { keyId, key, digest, executionId } = claim
      const add = `INSERT INTO idempotency_keys (key_id, key, digest, execution_id, created_at) VALUES (?, ?, ?, ?, ?)`
      this.#database.run(add, keyId, key, digest, executionId, toTimestamp(now))
      return undefined
    })
  }

  async releaseKey({ keyId, key, executionId }: KeyClaim): Promise<void> {
    const sql = 'DELETE FROM idempotency_keys WHERE key_id = ? AND key = ? AND execution_id = ?'
    await this.#database.write(() => this.#database.run(sql, keyId, key, executionId))
  }

  async usage(request: UsageRequest): Promise<UsageReport> {
    const query = toUsageQuery(request, this.#clock.now())
    return await this.#database.read(() => this.#usage.read(query))
  }

  async remove(id: string): Promise<void> {
    const sql = 'SELECT number FROM executions WHERE id = ? AND ended_at IS NOT NULL'
    const row = await this.#database.read(() => this.#database.get(sql, id))
    if (row !== undefined) await this.#remove(Number(row['number']))
  }

  async removeOld({ endedBefore, maxBytes }: { endedBefore: string; maxBytes: number }): Promise<number> {
    let removed = 0
    while ((await this.#removeFirst(ENDED, endedBefore)) !== undefined) removed += 1
    const used = await this.#database.read(() => this.#database.all(BYTES_BY_KEY))
    const bytesOf = new Map(used.map((row) => [String(row['key_id']), Number(row['bytes'])]))
    for (const [keyId, excess] of shareExcess(bytesOf, maxBytes)) {
      for (let left = excess; left > 0; removed += 1) {
        const bytes = await this.#removeFirst(OLDEST_OF_KEY, keyId)
        // The rest is still running.
        if (bytes === undefined) break
        left -= bytes
      }
    }
    return removed
  }

  /** Returns the size of what it has removed, if the query finds something. */
  async #removeFirst(sql: string, value: string): Promise<number | undefined> {
    const row = await this.#database.read(() => this.#database.get(sql, value))
    if (row === undefined) return undefined
    await this.#remove(Number(row['number']))
    await nextTurn()
    return Number(row['bytes'] ?? 0)
  }

  /** The last events first, so that the rest is a prefix at every moment. */
  async #remove(number: number): Promise<void> {
    const last = 'SELECT max(seq) AS seq FROM execution_events WHERE execution = ?'
    for (;;) {
      const isRemoved = await this.#database.write(() => {
        const rest = Number(this.#database.get(last, number)?.['seq'] ?? 0) - REMOVE_BATCH
        if (rest <= 0) this.#database.run('DELETE FROM executions WHERE number = ?', number)
        else {
          this.#database.run('DELETE FROM execution_events WHERE execution = ? AND seq > ?', number, rest)
          this.#database.run('UPDATE executions SET last_seq = ? WHERE number = ?', rest, number)
        }
        return rest <= 0
      })
      if (isRemoved) return
      await nextTurn()
    }
  }

  #saveChange(change: ExecutionChange): void {
    const { execution, events, isNew, isRemoved } = change
    if (isRemoved === true) {
      this.#removeEnded(change)
      return
    }
    const { contents, bytes } = writeContents(events)
    const number = isNew ? this.#insert(change, bytes) : this.#update(execution, bytes)
    // Undefined if the row was removed.
    if (number === undefined) return
    const sql = 'INSERT INTO execution_events (execution, seq, at, type, content) VALUES (?, ?, ?, ?, ?)'
    for (const [at, { seq, at: moment, type }] of events.entries()) {
      this.#database.run(sql, number, seq, moment, type, contents[at] ?? '')
    }
  }

  #insert({ execution, keep, countsUsage = false }: ExecutionChange, eventBytes: number): number {
    const hasEnded = isFinal(execution.state)
    if (countsUsage && hasEnded) this.#count(execution)
    const isUsageDue = countsUsage && !hasEnded
    return this.#database.run(INSERT, ...toInsert(execution, { keep, isUsageDue, eventBytes }))
  }

  #update(execution: Execution, eventBytes: number): number | undefined {
    const row = this.#database.get(`${UPDATE} RETURNING number, is_usage_due`, ...toUpdate(execution, eventBytes))
    if (row === undefined) return undefined
    if (isFinal(execution.state)) this.#countOnce(row, execution)
    return Number(row['number'])
  }

  #removeEnded({ execution, isNew, countsUsage = false }: ExecutionChange): void {
    const row = this.#database.get('DELETE FROM executions WHERE id = ? RETURNING is_usage_due', execution.id)
    // One that was stored and is gone has been counted as lost.
    if (row === undefined ? isNew && countsUsage : row['is_usage_due'] === 1) this.#count(execution)
  }

  /** Adds an execution that has ended to the usage, unless it was added before. */
  #countOnce({ number = 0, is_usage_due: isUsageDue }: Row, execution: Execution): void {
    if (isUsageDue !== 1) return
    this.#count(execution)
    this.#database.run('UPDATE executions SET is_usage_due = 0 WHERE number = ?', number)
  }

  #count(execution: Execution): void {
    this.#usage.add(toUsageEntry(execution, { countsTokens: this.#countsTokens }))
  }

  #lose(row: Row): void {
    const { number = 0, keep = '', last_seq: lastSeq = 0 } = row
    const now = toTimestamp(this.#clock.now())
    this.#countOnce(row, { ...toExecution(row), state: 'lost', ended_at: now })
    if (keep === 'none') {
      this.#database.run('DELETE FROM executions WHERE number = ?', number)
      return
    }
    const seq = Number(lastSeq) + (keep === 'events' ? 1 : 0)
    const add = `INSERT INTO execution_events (execution, seq, at, type, content) VALUES (?, ?, ?, 'state', ?)`
    if (keep === 'events') this.#database.run(add, number, seq, now, JSON.stringify({ state: 'lost' }))
    const change = `UPDATE executions SET state = 'lost', ended_at = ?, last_seq = ? WHERE number = ?`
    this.#database.run(change, now, seq, number)
  }
}
