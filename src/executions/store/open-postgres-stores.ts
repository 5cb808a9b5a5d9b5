/** The stores in a PostgreSQL database, and what only such a database has: a queue, and records that machines share. */
import { PostgresSessionFiles } from '../../sessions/postgres-session-files.ts'
import { PostgresSessionTable } from '../../sessions/postgres-session-table.ts'
import { SqlSessionStore } from '../../sessions/sql-session-store.ts'
import { settleKeys } from '../../store/key-ids.ts'
import { Outbox } from '../../store/outbox.ts'
import { openPostgres } from '../../store/postgres-database.ts'
import { PostgresNotices } from '../../store/postgres-notices.ts'
import { PostgresOwners } from '../../store/postgres-owners.ts'
import { PushSubscriptions } from '../../store/push-subscriptions.ts'
import { SharedRateLimits } from '../../store/shared-rate-limits.ts'
import { all, answer, type Row, type Sql, type Steps } from '../../store/sql.ts'
import { BudgetStore } from './budget-store.ts'
import type { StoreNotice } from './execution-store.ts'
import type { SavedEvents, StoredExecutions } from './execution-table.ts'
import { BYTES_BY_KEY } from './fair-share.ts'
import { Machines } from './machines.ts'
import { PostgresWorkQueue } from './postgres-work-queue.ts'
import { PublishedApprovals } from './published-approvals.ts'
import { PublishedRuns } from './published-runs.ts'
import { RunCalls } from './run-calls.ts'
import { RunCopies } from './run-copies.ts'
import { SqlExecutionStore } from './sql-execution-store.ts'
import type { PostgresPlace, Stores, StoresOptions } from './stores.ts'

export async function openPostgresStores(options: StoresOptions & { postgres: PostgresPlace }): Promise<Stores> {
  const { ids, clock, postgres, waitMs, endAgentsOf = async () => {} } = options
  const sql = await openPostgres({ ...postgres, waitMs })
  const owners = new PostgresOwners(sql, {
    ids,
    machine: postgres.machine,
    deadAfterMs: postgres.deadAfterMs,
    onLost: (loss) => postgres.onLost?.(loss),
    endAgentsOf,
    endStranded: (goneAfterSecs) => queue.endStranded(goneAfterSecs),
    endWorkOf: function* (name, machine) {
      const lost = yield* queue.endWorkOf(name, machine)
      yield* board.releaseRunsOf(name, machine)
      return yield* sessions.endTurnsOf(name, lost)
    },
  })
  const notices = new PostgresNotices(sql)
  const watch = (listener: (notice: StoreNotice) => void) => notices.watch((notice) => listener(notice as StoreNotice))
  const executions = new SqlExecutionStore(
    { sql, owners, stored: new PostgresExecutions(sql), watch, isTold: () => notices.isListening },
    options,
  )
  const queue = new PostgresWorkQueue(sql, { owners, executions, clock })
  const table = new PostgresSessionTable(postgres.machine)
  const files = new PostgresSessionFiles(sql, owners)
  const close = async () => {
    await notices.close()
    await sql.close()
  }
  const sessions = new SqlSessionStore({ sql, owners, table, files, close }, options)
  const board = new PublishedRuns(sql, { owners, notices })
  return {
    sessions,
    executions,
    outbox: new Outbox(sql, clock),
    pushSubscriptions: () => new PushSubscriptions(sql, clock),
    budgets: new BudgetStore(sql, { owners, clock }),
    settleKeys: (keys) => settleKeys(sql, keys),
    runs: { board, calls: new RunCalls(sql, { owners, notices, ids }), copies: new RunCopies(sql, owners) },
    queue,
    machines: new Machines(sql),
    approvals: new PublishedApprovals(sql),
    rateLimits: new SharedRateLimits(sql),
    leads: (task) => owners.leads(task),
  }
}

const REMOVE_BATCH = 500
/** Less than PostgreSQL removes within a second, of executions with many events. */
const REMOVE_BYTES = 8 * 1024 * 1024

const ADD_EVENTS = `INSERT INTO execution_events (execution, seq, at, type, content)
  SELECT * FROM unnest(CAST(? AS bigint[]), CAST(? AS bigint[]), CAST(? AS text[]), CAST(? AS text[]), CAST(? AS text[]))
  ON CONFLICT DO NOTHING`
/** `before` is the size of all that are older. */
const removeOldest = (which: string) => `WITH oldest AS (
    SELECT number, sum(bytes) OVER (ORDER BY ended_at, number) - bytes AS before
      FROM executions WHERE ${which} ORDER BY ended_at, number LIMIT ${REMOVE_BATCH})
  DELETE FROM executions WHERE number IN (SELECT number FROM oldest WHERE before < ?) RETURNING bytes`
const REMOVE_ENDED = removeOldest('ended_at < ?')
const REMOVE_OF_KEY = removeOldest('key_id = ? AND ended_at IS NOT NULL')

/** Those of executions that were removed. */
const REMOVE_UNUSED = `DELETE FROM attachments a
  WHERE NOT EXISTS (SELECT 1 FROM attachment_uses u WHERE u.digest = a.digest)`

type Removal = { sql: string; value: string; bytes: number; signal: AbortSignal | undefined }

/** What PostgreSQL does differently with executions: each statement takes a round trip, so it changes many rows. */
class PostgresExecutions implements StoredExecutions {
  /** While the connection for notices is lost, readers see a change after this long. */
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

  /** PostgreSQL would rather read the whole table, with several processes, than an index that has all of it. */
  async bytesByKey(): Promise<Row[]> {
    return await this.#sql.write(function* () {
      yield* all('SET LOCAL enable_seqscan = off')
      return yield* all(BYTES_BY_KEY)
    })
  }

  async remove(id: string): Promise<void> {
    await this.#sql.run('DELETE FROM executions WHERE id = ? AND ended_at IS NOT NULL', id)
  }

  async removeEnded(before: string, signal?: AbortSignal): Promise<number> {
    await this.#sql.run(REMOVE_UNUSED)
    return await this.#remove({ sql: REMOVE_ENDED, value: before, bytes: Number.MAX_SAFE_INTEGER, signal })
  }

  async removeOldest(keyId: string, bytes: number, signal?: AbortSignal): Promise<number> {
    return await this.#remove({ sql: REMOVE_OF_KEY, value: keyId, bytes, signal })
  }

  /** In pieces, each of which is short. */
  async #remove({ sql, value, bytes, signal }: Removal): Promise<number> {
    let removed = 0
    for (let left = bytes; left > 0 && signal?.aborted !== true; ) {
      const rows = await this.#sql.run(sql, value, Math.min(left, REMOVE_BYTES))
      if (rows.length === 0) break
      removed += rows.length
      left -= rows.reduce((sum, row) => sum + Number(row['bytes']), 0)
    }
    return removed
  }
}
