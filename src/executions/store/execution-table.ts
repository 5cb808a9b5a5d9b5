/** Changes rows of executions, together with their events and the usage, in a transaction. */
import { type Clock, toTimestamp } from '../../kit/clock.ts'
import { all, get, type Row, type Steps } from '../../store/sql.ts'
import { type EndedExecution, settle } from './budget-table.ts'
import type { Execution, ExecutionEvent } from './execution.shape.ts'
import type { toExecutionError } from './execution-end.ts'
import { CHANGED, INSERT, toExecution, toInsert, toUpdate, UPDATE, writeContents } from './execution-rows.ts'
import { isFinal } from './execution-states.ts'
import type { AttachedContent, ExecutionChange } from './execution-store.ts'
import { toUsageEntry, USAGE_COUNTS, type UsageEntry } from './usage-entry.ts'
import { dayBefore, toUsageReport, toUsageSql, USAGE_DAYS, type UsageQuery } from './usage-query.ts'
import type { UsageReport } from './usage-report.shape.ts'

/** A row that is there already was saved by an attempt whose answer was lost, or waits in the queue of this process. */
const ADD = `${INSERT} ON CONFLICT (id) DO UPDATE SET ${CHANGED.map((name) => `${name} = excluded.${name}`).join(', ')}
  WHERE executions.owner = excluded.owner RETURNING number, is_usage_due`
/** A row that has ended is changed only by a repetition of the change that ended it. */
const CHANGE = `${UPDATE} AND owner = ? AND (ended_at IS NULL OR ended_at = ?) RETURNING number, is_usage_due`

export type SavedEvents = { number: number; events: readonly ExecutionEvent[]; contents: readonly string[] }

/** What the two databases do differently with executions. */
export type StoredExecutions = {
  /** How often readers look for changes of other processes. */
  readonly pollMs: number
  addEvents(saved: readonly SavedEvents[]): Steps<void>
  /** A row from which on all rows may be as new as `since`; undefined if an index finds it. */
  firstSince(since: string): Steps<number | undefined>
  /** What each key uses: rows with `key_id` and `bytes`. */
  bytesByKey(): Promise<Row[]>
  remove(id: string): Promise<void>
  /** Removes those that ended before a time, in pieces and until the signal, and returns their number. */
  removeEnded(before: string, signal?: AbortSignal): Promise<number>
  /** Removes the oldest of a key that have ended, about as many as have these bytes, and returns their number. */
  removeOldest(keyId: string, bytes: number, signal?: AbortSignal): Promise<number>
}

export type ExecutionEnd = { state: 'lost' | 'cancelled' | 'failed'; error?: ReturnType<typeof toExecutionError> }

export class ExecutionTable {
  readonly usage = new UsageTable()
  readonly #stored: StoredExecutions
  readonly #clock: Clock
  readonly #countsTokens: boolean

  constructor(stored: StoredExecutions, { clock, countsTokens }: { clock: Clock; countsTokens: boolean }) {
    this.#stored = stored
    this.#clock = clock
    this.#countsTokens = countsTokens
  }

  /** Returns the ids of those that others have not taken from their process. */
  *save(changes: readonly ExecutionChange[]): Steps<Set<string>> {
    const ids = new Set<string>()
    const saved: SavedEvents[] = []
    for (const change of changes) {
      const events = yield* this.#save(change)
      if (events === undefined) continue
      ids.add(change.execution.id)
      saved.push(events)
    }
    yield* this.#stored.addEvents(saved)
    const isDue = ({ execution, isReserved }: ExecutionChange) => isReserved && isFinal(execution.state)
    const ended = changes.filter((change) => isDue(change) && ids.has(change.execution.id))
    yield* settle(ended.map(toEnded))
    return ids
  }

  *#save(change: ExecutionChange): Steps<SavedEvents | undefined> {
    const { execution, events, keep, isNew, isRemoved, isRefused, countsUsage = false, attachments = [] } = change
    if (isRemoved === true) return yield* this.#removeEnded(change)
    const { contents, bytes } = writeContents(events)
    const row = yield* isNew
      ? get(ADD, ...toInsert(execution, { keep, isUsageDue: countsUsage, eventBytes: bytes }))
      : get(CHANGE, ...toUpdate(execution, bytes), execution.owner, execution.ended_at ?? null)
    if (row === undefined) return undefined
    if (isNew) yield* addAttachments(Number(row['number']), attachments)
    if (isFinal(execution.state)) yield* this.#countOnce(row, execution, isRefused)
    return { number: Number(row['number']), events, contents }
  }

  *#removeEnded({ execution, isNew, isRefused, countsUsage = false }: ExecutionChange): Steps<SavedEvents> {
    const sql = 'DELETE FROM executions WHERE id = ? AND owner = ? RETURNING is_usage_due'
    const row = yield* get(sql, execution.id, execution.owner)
    // One that was stored and is gone has been counted as lost.
    const isDue = row === undefined ? isNew && countsUsage : row['is_usage_due'] === 1
    if (isDue) yield* this.#count(execution, isRefused)
    return { number: 0, events: [], contents: [] }
  }

  /** Adds an execution that has ended to the usage, unless it was added before. */
  *#countOnce(row: Row, execution: Execution, isRefused?: boolean): Steps<void> {
    if (row['is_usage_due'] !== 1) return
    yield* this.#count(execution, isRefused)
    yield* all('UPDATE executions SET is_usage_due = 0 WHERE number = ?', row['number'])
  }

  /** What was refused, or cancelled while it waited, has used nothing. */
  *#count(execution: Execution, isRefused = false): Steps<void> {
    const { state, started_at: startedAt } = execution
    if (isRefused || (state === 'cancelled' && startedAt === undefined)) return
    yield* this.usage.add(toUsageEntry(execution, { countsTokens: this.#countsTokens }))
  }

  /** Ends an execution that no process runs. */
  *end(row: Row, end: ExecutionEnd): Steps<void> {
    const { number, keep, last_seq: lastSeq } = row
    const { state, error } = end
    const now = toTimestamp(this.#clock.now())
    const ended = { ...toExecution(row), state, ended_at: now }
    yield* this.#countOnce(row, ended)
    yield* settle([ended])
    // Another process may read what was in the queue, even if nothing is kept of it. It is removed later.
    if (keep === 'none' && Number(lastSeq) === 0) {
      yield* all('DELETE FROM executions WHERE number = ?', number)
      return
    }
    const hasEvents = keep === 'events' || Number(lastSeq) > 0
    const seq = Number(lastSeq) + (hasEvents ? 1 : 0)
    if (hasEvents) {
      const event = { seq, at: now, type: 'state', content: end }
      yield* this.#stored.addEvents([{ number: Number(number), events: [event], contents: [JSON.stringify(end)] }])
    }
    const change = 'UPDATE executions SET state = ?, error = ?, ended_at = ?, last_seq = ? WHERE number = ?'
    yield* all(change, state, error === undefined ? null : JSON.stringify(error), now, seq, number)
  }
}

/** The result tells how it ended, even if it is not stored. */
function toEnded({ execution, isRefused, result }: ExecutionChange): EndedExecution {
  return { ...execution, isRefused, ...(result !== undefined && { result }) }
}

/** Stores what is not stored yet. */
export function* addAttachments(execution: number, attachments: readonly AttachedContent[]): Steps<void> {
  for (const { digest, data } of attachments) {
    yield* all('INSERT INTO attachments (digest, data) VALUES (?, ?) ON CONFLICT DO NOTHING', digest, data)
    yield* all('INSERT INTO attachment_uses VALUES (?, ?) ON CONFLICT DO NOTHING', execution, digest)
  }
}

const GROUP = ['day', 'key_id', 'api_key', 'backend', 'model'] as const
const SUMS = [...USAGE_COUNTS, 'cost_usd', 'priced_usd'] as const satisfies readonly (keyof UsageEntry)[]
const COLUMNS = [...GROUP, ...SUMS]

/** A cost that no agent has reported stays unknown. */
const addColumn = (name: string) =>
  `${name} = coalesce(usage.${name} + excluded.${name}, usage.${name}, excluded.${name})`
const ADD_USAGE = `INSERT INTO usage (${COLUMNS.join(', ')}) VALUES (${COLUMNS.map(() => '?').join(', ')})
  ON CONFLICT (${GROUP.join(', ')}) DO UPDATE SET ${SUMS.map(addColumn).join(', ')}`

/** Adds to the table `usage` and reads it. */
class UsageTable {
  /** The last day for which old rows were removed. */
  #cleanedOn = '';

  /** The caller makes sure that an execution is added once. */
  *add(entry: UsageEntry): Steps<void> {
    yield* this.#removeOld(entry.day)
    yield* all(ADD_USAGE, ...COLUMNS.map((name) => entry[name]))
  }

  *read(query: UsageQuery): Steps<UsageReport> {
    const { sql, values } = toUsageSql(query)
    return toUsageReport(query, yield* all(sql, ...values))
  }

  /** Once a day is enough, and costs a short command of the command line next to nothing. */
  *#removeOld(today: string): Steps<void> {
    if (today === this.#cleanedOn) return
    const oldest = dayBefore(new Date(today), USAGE_DAYS)
    yield* all('DELETE FROM usage WHERE day <= ?', oldest)
    // The name of a period is its first moment; `once` is not less than any.
    yield* all('DELETE FROM budgets WHERE period < ?', oldest)
    this.#cleanedOn = today
  }
}
