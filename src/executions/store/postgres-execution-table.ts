/** Changes rows of executions in PostgreSQL, together with their events and the usage. Callers are in a transaction. */
import { type Clock, toTimestamp } from '../../kit/clock.ts'
import type { Row } from '../../store/database.ts'
import type { Transaction } from '../../store/postgres-database.ts'
import type { Execution, ExecutionEvent } from './execution.shape.ts'
import type { toExecutionError } from './execution-end.ts'
import { CHANGED, INSERT, toExecution, toInsert, toUpdate, UPDATE, writeContents } from './execution-rows.ts'
import { isFinal } from './execution-states.ts'
import type { ExecutionChange } from './execution-store.ts'
import type { PostgresUsageTable } from './postgres-usage-table.ts'
import { toUsageEntry } from './usage-entry.ts'

/** A row that is there already was saved by an attempt whose answer was lost, or waits in the queue of this process. */
const ADD = `${INSERT} ON CONFLICT (id) DO UPDATE SET ${CHANGED.map((name) => `${name} = excluded.${name}`).join(', ')}
  WHERE executions.owner = excluded.owner RETURNING number, is_usage_due, (xmax = 0) AS is_added`
/** A row that has ended is changed only by a repetition of the change that ended it. */
const CHANGE = `${UPDATE} AND owner = ? AND (ended_at IS NULL OR ended_at = ?) RETURNING number, is_usage_due`
const ADD_EVENTS = `INSERT INTO execution_events (execution, seq, at, type, content)
  SELECT * FROM unnest(CAST(? AS bigint[]), CAST(? AS bigint[]), CAST(? AS text[]), CAST(? AS text[]), CAST(? AS text[]))
  ON CONFLICT DO NOTHING`

export type SavedEvents = { number: number; events: readonly ExecutionEvent[]; contents: readonly string[] }

export class PostgresExecutionTable {
  readonly #clock: Clock
  readonly #usage: PostgresUsageTable
  readonly #countsTokens: boolean

  constructor(options: { clock: Clock; usage: PostgresUsageTable; countsTokens: boolean }) {
    this.#clock = options.clock
    this.#usage = options.usage
    this.#countsTokens = options.countsTokens
  }

  /** Returns false if the execution was taken from its process. Its events are added to `saved`. */
  async save(transaction: Transaction, change: ExecutionChange, saved: SavedEvents[]): Promise<boolean> {
    const { execution, events, isNew, isRemoved } = change
    if (isRemoved === true) return await this.#removeEnded(transaction, change)
    const { contents, bytes } = writeContents(events)
    const row = isNew
      ? await this.#insert(transaction, change, bytes)
      : await transaction.get(CHANGE, ...toUpdate(execution, bytes), execution.owner, execution.ended_at ?? null)
    if (row === undefined) return false
    if (isFinal(execution.state)) await this.#countOnce(transaction, row, execution)
    saved.push({ number: Number(row['number']), events, contents })
    return true
  }

  async #insert(
    transaction: Transaction,
    { execution, keep, countsUsage = false }: ExecutionChange,
    eventBytes: number,
  ): Promise<Row | undefined> {
    return await transaction.get(ADD, ...toInsert(execution, { keep, isUsageDue: countsUsage, eventBytes }))
  }

  async #removeEnded(
    transaction: Transaction,
    { execution, isNew, countsUsage = false }: ExecutionChange,
  ): Promise<boolean> {
    const { id, owner } = execution
    const sql = 'DELETE FROM executions WHERE id = ? AND owner = ? RETURNING is_usage_due'
    const row = await transaction.get(sql, id, owner)
    // One that was stored and is gone has been counted as lost.
    if (row === undefined ? isNew && countsUsage : row['is_usage_due'] === 1) await this.#count(transaction, execution)
    return true
  }

  /** Adds an execution that has ended to the usage, unless it was added before. */
  async #countOnce(transaction: Transaction, row: Row, execution: Execution): Promise<void> {
    if (row['is_usage_due'] !== 1) return
    await this.#count(transaction, execution)
    await transaction.all('UPDATE executions SET is_usage_due = 0 WHERE number = ?', row['number'])
  }

  async #count(transaction: Transaction, execution: Execution): Promise<void> {
    const entry = toUsageEntry(execution, { countsTokens: this.#countsTokens })
    await this.#usage.add(transaction, entry)
  }

  /** Ends an execution that no process runs. */
  async end(
    transaction: Transaction,
    row: Row,
    end: { state: 'lost' | 'cancelled' | 'failed'; error?: ReturnType<typeof toExecutionError> },
  ): Promise<void> {
    const { number, keep, last_seq: lastSeq } = row
    const { state, error } = end
    const now = toTimestamp(this.#clock.now())
    await this.#countOnce(transaction, row, { ...toExecution(row), state, ended_at: now })
    // Another process may read what was in the queue, even if nothing is kept of it. It is removed later.
    if (keep === 'none' && Number(lastSeq) === 0) {
      await transaction.all('DELETE FROM executions WHERE number = ?', number)
      return
    }
    const hasEvents = keep === 'events' || Number(lastSeq) > 0
    const seq = Number(lastSeq) + (hasEvents ? 1 : 0)
    if (hasEvents) {
      const event = { seq, at: now, type: 'state', content: end }
      await addEvents(transaction, [{ number: Number(number), events: [event], contents: [JSON.stringify(end)] }])
    }
    const change = 'UPDATE executions SET state = ?, error = ?, ended_at = ?, last_seq = ? WHERE number = ?'
    await transaction.all(change, state, error === undefined ? null : JSON.stringify(error), now, seq, number)
  }
}

/** One statement for the events of all executions. */
export async function addEvents(transaction: Transaction, saved: readonly SavedEvents[]): Promise<void> {
  const rows = saved.flatMap(({ number, events, contents }) =>
    events.map(({ seq, at, type }, index) => ({ number, seq, at, type, content: contents[index] ?? '' })),
  )
  if (rows.length === 0) return
  const columns = (['number', 'seq', 'at', 'type', 'content'] as const).map((name) => rows.map((row) => row[name]))
  await transaction.all(ADD_EVENTS, ...columns)
}
