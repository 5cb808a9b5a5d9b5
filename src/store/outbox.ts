/**
 * Notifications that wait until they are delivered, in a file or in PostgreSQL. What was delivered stays for a while, so that an
 * event that is announced again, after a kill, is not sent again.
 */
import { type Clock, toTimestamp } from '../kit/clock.ts'
import { all, type Row, type Sql, type Steps } from './sql.ts'

export type OutboxEntry = {
  readonly number: number
  /** Of the event: the same for all targets. */
  readonly id: string
  readonly target: string
  readonly body: string
  /** Those that failed, and this one. A process that was killed says nothing about the receiver. */
  readonly attempts: number
  readonly createdAt: Date
}

/** What is announced for one target. Entries of one stream are delivered in their order. */
export type NewEntry = Pick<OutboxEntry, 'id' | 'target' | 'body'> & {
  readonly stream: string
  /** Until then it may be announced again. */
  readonly endsAt?: string | undefined
}

/** How many entries of a target wait, and how many were given up. */
export type OutboxCount = { readonly target: string; readonly waiting: number; readonly failed: number }

/** An entry that a process has taken is not taken again for this long: a delivery never takes longer. */
const TAKEN_MS = 20_000
/** No entry is due later than this, unless the clock was wrong. */
const LATEST_MS = 2 * 3_600_000
const KEPT_MS = 7 * 86_400_000

export class Outbox {
  readonly #sql: Sql
  readonly #clock: Clock

  constructor(sql: Sql, clock: Clock) {
    this.#sql = sql
    this.#clock = clock
  }

  /** Resolves when they are stored. One that was announced before is left as it is. */
  async add(entries: readonly NewEntry[]): Promise<void> {
    const now = this.#after(0)
    const old = this.#after(-KEPT_MS)
    await this.#sql.write(function* () {
      yield* all(
        "DELETE FROM outbox WHERE state <> 'waiting' AND created_at < ? AND coalesce(ends_at, '') < ?",
        old,
        now,
      )
      const sql = `INSERT INTO outbox (id, target, stream, body, state, attempts, created_at, due_at, ends_at)
        VALUES (?, ?, ?, ?, 'waiting', 0, ?, ?, ?) ON CONFLICT DO NOTHING`
      for (const { id, target, stream, body, endsAt = null } of entries)
        yield* all(sql, id, target, stream, body, now, now, endsAt)
    })
  }

  /** Takes the next entry that is due. The ones after it in its stream wait until it is delivered or given up. */
  async take(target: string): Promise<OutboxEntry | undefined> {
    const times = [this.#after(0), this.#after(LATEST_MS)]
    const taken = this.#after(TAKEN_MS)
    const row = await this.#sql.write(() => take(target, taken, times))
    return row && toEntry(row)
  }

  async delivered({ number }: OutboxEntry): Promise<void> {
    await this.#sql.run("UPDATE outbox SET state = 'delivered', body = '' WHERE number = ?", number)
  }

  async postpone({ number, attempts }: OutboxEntry, waitMs: number): Promise<void> {
    await this.#sql.run(
      'UPDATE outbox SET due_at = ?, attempts = ? WHERE number = ?',
      this.#after(waitMs),
      attempts,
      number,
    )
  }

  async giveUp({ number }: OutboxEntry): Promise<void> {
    await this.#sql.run("UPDATE outbox SET state = 'failed' WHERE number = ?", number)
  }

  async count(): Promise<OutboxCount[]> {
    const sql = `SELECT target, sum(CASE state WHEN 'waiting' THEN 1 ELSE 0 END) AS waiting,
      sum(CASE state WHEN 'failed' THEN 1 ELSE 0 END) AS failed FROM outbox GROUP BY target ORDER BY target`
    const rows = await this.#sql.read(() => all(sql))
    return rows.map(({ target, waiting, failed }) => {
      return { target: String(target), waiting: Number(waiting), failed: Number(failed) }
    })
  }

  #after(ms: number): string {
    return toTimestamp(new Date(this.#clock.now().getTime() + ms))
  }
}

/** A time that is too far away is from a clock that was set back since. */
const IS_DUE = "state = 'waiting' AND (due_at <= ? OR due_at > ?)"

function* take(target: string, taken: string, times: readonly string[]): Steps<Row | undefined> {
  const [row] = yield* all(
    `UPDATE outbox SET due_at = ? WHERE number = (
       SELECT number FROM outbox AS next WHERE target = ? AND ${IS_DUE} AND NOT EXISTS (
         SELECT 1 FROM outbox AS before WHERE before.target = next.target AND before.stream = next.stream
           AND before.state = 'waiting' AND before.number < next.number)
       ORDER BY number LIMIT 1) AND ${IS_DUE}
     RETURNING number, id, target, body, attempts, created_at`,
    ...[taken, target, ...times, ...times],
  )
  return row
}

function toEntry(row: Row): OutboxEntry {
  return {
    number: Number(row['number']),
    id: String(row['id']),
    target: String(row['target']),
    body: String(row['body']),
    attempts: Number(row['attempts']) + 1,
    createdAt: new Date(String(row['created_at'])),
  }
}
