/** Stores executions in the database of the sessions: an SQLite file or PostgreSQL. */
import { type Clock, toTimestamp } from '../../kit/clock.ts'
import type { LostTurn } from '../../sessions/session-table.ts'
import type { Owners } from '../../store/owners.ts'
import { all, answer, get, type Row, type Sql, type Steps } from '../../store/sql.ts'
import { settleOwner } from './budget-table.ts'
import type { Execution, ExecutionEvent, ExecutionPage } from './execution.shape.ts'
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
  type RemovalLimits,
  type StoreNotice,
} from './execution-store.ts'
import { type ExecutionEnd, ExecutionTable, type StoredExecutions } from './execution-table.ts'
import { shareExcess } from './fair-share.ts'
import { executionAmbiguous, executionNotFound } from './faults.ts'
import { SentMessages } from './sent-messages.ts'
import { toUsageQuery, type UsageRequest } from './usage-query.ts'
import type { UsageReport } from './usage-report.shape.ts'

/** A prompt is answered even if the store is locked, or cannot be reached, for longer. */
const SAVE_WAIT_MS = 1000

/** The columns that the end of an execution needs. */
export const ENDED_COLUMNS = `number, keep, is_usage_due, ${LISTED}`

export type ExecutionStoreParts = {
  sql: Sql
  owners: Pick<Owners, 'hold'>
  stored: StoredExecutions
  watch: ExecutionStore['watch']
  /** Undefined: nothing tells of changes. */
  isTold?: ExecutionStore['isTold']
}

export class SqlExecutionStore implements ExecutionStore {
  readonly pollMs: number
  readonly #sql: Sql
  readonly isTold: ExecutionStore['isTold']
  readonly #watch: ExecutionStore['watch']
  readonly #owners: Pick<Owners, 'hold'>
  readonly #stored: StoredExecutions
  readonly #clock: Clock
  readonly #table: ExecutionTable

  constructor(
    { sql, owners, stored, watch, isTold = () => false }: ExecutionStoreParts,
    { clock, storeTokenUsage = true }: { clock: Clock; storeTokenUsage?: boolean },
  ) {
    this.pollMs = stored.pollMs
    this.#sql = sql
    this.#watch = watch
    this.isTold = isTold
    this.#owners = owners
    this.#stored = stored
    this.#clock = clock
    this.#table = new ExecutionTable(stored, { clock, countsTokens: storeTokenUsage })
  }

  get messages(): SentMessages {
    return new SentMessages(this.#sql)
  }

  async save(changes: readonly ExecutionChange[]): Promise<string[]> {
    return await this.#sql.write(() => this.#save(changes), { waitMs: SAVE_WAIT_MS, isSynced: false })
  }

  *#save(changes: readonly ExecutionChange[]): Steps<string[]> {
    const alive = new Set<string>()
    for (const owner of new Set(changes.map(({ execution }) => execution.owner))) {
      if (yield* this.#owners.hold(owner)) alive.add(owner)
    }
    const living = changes.filter(({ execution }) => alive.has(execution.owner))
    const saved = yield* this.#table.save(living)
    const ids = changes.map(({ execution }) => execution.id)
    yield* this.#sql.notify('changed', ids)
    return ids.filter((id) => !saved.has(id))
  }

  watch(listener: (notice: StoreNotice) => void): () => void {
    return this.#watch(listener)
  }

  async find(idOrPrefix: string, keyId?: string): Promise<Execution> {
    const { sql, values } = toFindQuery(executionIdRange(idOrPrefix), keyId)
    const [row, another] = await this.#sql.read(() => all(sql, ...values))
    if (row === undefined) throw executionNotFound({ id: idOrPrefix })
    if (another !== undefined) throw executionAmbiguous({ id: idOrPrefix })
    return toExecution(row)
  }

  async list(filter: ExecutionFilter, { limit }: { limit: number }): Promise<ExecutionPage> {
    return toPage(await this.#sql.read(() => this.#list(filter, limit + 1)), limit)
  }

  *#list(filter: ExecutionFilter, limit: number): Steps<Row[]> {
    const first = filter.since === undefined ? undefined : yield* this.#stored.firstSince(filter.since)
    const { where, values } = toPageQuery(filter, first)
    return yield* all(`SELECT ${LISTED} FROM executions ${where} ORDER BY number DESC LIMIT ?`, ...values, limit)
  }

  async running(): Promise<Execution[]> {
    const sql = `SELECT ${LISTED} FROM executions WHERE ended_at IS NULL ORDER BY number`
    return (await this.#sql.read(() => all(sql))).map(toExecution)
  }

  async events(id: string, filter: EventFilter): Promise<ExecutionEvent[]> {
    const { sql, values } = toEventsQuery(id, filter)
    return (await this.#sql.read(() => all(sql, ...values))).map(toExecutionEvent)
  }

  async attachment(id: string, digest: string): Promise<string | undefined> {
    const sql = `SELECT a.data FROM executions e JOIN attachment_uses u ON u.execution = e.number
      JOIN attachments a ON a.digest = u.digest WHERE e.id = ? AND u.digest = ?`
    return (await this.#sql.read(() => get(sql, id, digest)))?.['data'] as string | undefined
  }

  async requestCancel(id: string): Promise<void> {
    await this.#sql.write(() => this.cancel('id', id))
  }

  /** What waits in the queue of PostgreSQL ends at once. What runs is ended by its process. */
  *cancel(column: 'id' | 'waiter', value: string): Steps<void> {
    const sql = `UPDATE executions SET is_cancel_requested = 1 WHERE ${column} = ? AND ended_at IS NULL
      RETURNING ${ENDED_COLUMNS}`
    const rows = yield* all(sql, value)
    yield* this.end(
      rows.filter((row) => row['owner'] === ''),
      () => ({ state: 'cancelled' }),
    )
    const running = rows.filter((row) => row['owner'] !== '')
    if (running.length > 0) yield* this.#sql.notify('cancel', running.map(rowId))
  }

  async cancelRequests(owner: string): Promise<string[]> {
    const sql = 'SELECT id FROM executions WHERE owner = ? AND ended_at IS NULL AND is_cancel_requested = 1'
    return (await this.#sql.read(() => all(sql, owner))).map(rowId)
  }

  /** A process without work does not wait for a transaction. */
  async loseAllOf(
    owner: string,
    endTurns: (lost: readonly LostTurn[]) => Steps<number> = () => answer(0),
  ): Promise<number> {
    const sql = `SELECT 1 ${OWNED} UNION ALL SELECT 1 FROM budget_reservations WHERE owner = ?
      UNION ALL SELECT 1 FROM sessions WHERE owner = ? LIMIT 1`
    const owned = await this.#sql.read(() => get(sql, owner, owner, owner))
    if (owned === undefined) return 0
    const executions = this
    return await this.#sql.write(function* () {
      return yield* endTurns(yield* executions.loseOwnedBy(owner))
    })
  }

  /** It is not known what the agents of a process that is gone have done. Returns the turns of sessions. */
  *loseOwnedBy(owner: string): Steps<LostTurn[]> {
    const rows = yield* all(`SELECT ${ENDED_COLUMNS} ${OWNED} FOR UPDATE`, owner)
    yield* this.end(rows, () => ({ state: 'lost' }))
    yield* settleOwner(owner)
    return rows.flatMap(({ number, session_id: session, started_at: startedAt }) =>
      typeof session === 'string' && typeof startedAt === 'string'
        ? [{ number: Number(number), session, startedAt }]
        : [],
    )
  }

  /** Ends executions that no process runs. Their rows have `ENDED_COLUMNS`. */
  *end(rows: readonly Row[], endOf: (row: Row) => ExecutionEnd): Steps<void> {
    for (const row of rows) yield* this.#table.end(row, endOf(row))
    if (rows.length > 0) yield* this.#sql.notify('changed', rows.map(rowId))
  }

  async claimKey(claim: KeyClaim): Promise<KeyClaim | undefined> {
    const now = this.#clock.now()
    return await this.#sql.write(() => claimKey(claim, now))
  }

  async releaseKey({ keyId, key, executionId }: KeyClaim): Promise<void> {
    const sql = 'DELETE FROM idempotency_keys WHERE key_id = ? AND key = ? AND execution_id = ?'
    await this.#sql.run(sql, keyId, key, executionId)
  }

  async usage(request: UsageRequest): Promise<UsageReport> {
    const query = toUsageQuery(request, this.#clock.now())
    return await this.#sql.read(() => this.#table.usage.read(query))
  }

  async remove(id: string): Promise<void> {
    await this.#stored.remove(id)
  }

  async removeOld({ endedBefore, maxBytes, signal }: RemovalLimits): Promise<number> {
    let removed = await this.#stored.removeEnded(endedBefore, signal)
    const used = await this.#stored.bytesByKey()
    const bytesOf = new Map(used.map((row) => [String(row['key_id']), Number(row['bytes'])]))
    for (const [keyId, excess] of shareExcess(bytesOf, maxBytes)) {
      removed += await this.#stored.removeOldest(keyId, excess, signal)
    }
    return removed
  }
}

const OWNED = 'FROM executions WHERE owner = ? AND ended_at IS NULL'

const rowId = (row: Row) => String(row['id'])

/** Of two claims at once, one adds its row, and the other one finds it. */
function* claimKey(claim: KeyClaim, now: Date): Steps<KeyClaim | undefined> {
  const { keyId, key, digest, executionId } = claim
  const expired = toTimestamp(new Date(now.getTime() - KEY_LIFETIME_MS))
  yield* all('DELETE FROM idempotency_keys WHERE created_at < ?', expired)
  const add = `INSERT INTO idempotency_keys (key_id, key, digest, execution_id, created_at) VALUES (?, ?, ?, ?, ?)
    ON CONFLICT DO NOTHING`
  yield* all(add, keyId, key, digest, executionId, toTimestamp(now))
  const sql = 'SELECT digest, execution_id FROM idempotency_keys WHERE key_id = ? AND key = ?'
  const row = yield* get(sql, keyId, key)
  if (row === undefined || row['execution_id'] === executionId) return undefined
  return { ...claim, digest: String(row['digest']), executionId: String(row['execution_id']) }
}
