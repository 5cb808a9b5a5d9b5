/** What PostgreSQL does differently with executions: each statement takes a round trip, so it changes many rows. */
import { all, answer, type Sql, type Steps } from '../../store/sql.ts'
import type { SavedEvents, StoredExecutions } from './execution-table.ts'

const REMOVE_BATCH = 500

const ADD_EVENTS = `INSERT INTO execution_events (execution, seq, at, type, content)
  SELECT * FROM unnest(CAST(? AS bigint[]), CAST(? AS bigint[]), CAST(? AS text[]), CAST(? AS text[]), CAST(? AS text[]))
  ON CONFLICT DO NOTHING`
const REMOVE_ENDED = `DELETE FROM executions WHERE number IN (
  SELECT number FROM executions WHERE ended_at < ? ORDER BY ended_at LIMIT ?) RETURNING number`
/** Of one key. `before` is the size of all that are older. */
const REMOVE_OLDEST = `WITH oldest AS (
    SELECT number, sum(bytes) OVER (ORDER BY ended_at, number) - bytes AS before
      FROM executions WHERE key_id = ? AND ended_at IS NOT NULL ORDER BY ended_at, number LIMIT ?)
  DELETE FROM executions WHERE number IN (SELECT number FROM oldest WHERE before < ?) RETURNING bytes`

export class PostgresExecutions implements StoredExecutions {
  /** If notices are lost, readers still see a change after this long. */
  readonly pollMs = 2000
  readonly #sql: Sql

  constructor(sql: Sql) {
    this.#sql = sql
  }

  *addEvents(saved: readonly SavedEvents[]): Steps<void> {
    const rows = saved.flatMap(({ number, events, contents }) =>
      events.map(({ seq, at, type }, index) => ({ number, seq, at, type, content: contents[index] ?? '' })),
    )
    if (rows.length === 0) return
    const columns = (['number', 'seq', 'at', 'type', 'content'] as const).map((name) => rows.map((row) => row[name]))
    yield* all(ADD_EVENTS, ...columns)
  }

  firstSince(): Steps<undefined> {
    return answer(undefined)
  }

  async remove(id: string): Promise<void> {
    await this.#sql.run('DELETE FROM executions WHERE id = ? AND ended_at IS NOT NULL', id)
  }

  async removeEnded(before: string): Promise<number> {
    let removed = 0
    for (let count = REMOVE_BATCH; count === REMOVE_BATCH; removed += count) {
      count = (await this.#sql.run(REMOVE_ENDED, before, REMOVE_BATCH)).length
    }
    return removed
  }

  async removeOldest(keyId: string, bytes: number): Promise<number> {
    let removed = 0
    for (let [left, count] = [bytes, REMOVE_BATCH]; count === REMOVE_BATCH; removed += count) {
      const rows = await this.#sql.run(REMOVE_OLDEST, keyId, REMOVE_BATCH, left)
      left -= rows.reduce((sum, row) => sum + Number(row['bytes']), 0)
      count = rows.length
    }
    return removed
  }
}
