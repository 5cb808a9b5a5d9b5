/** The stores in a PostgreSQL database, and what only such a database has: a queue, and records that machines share. */
import { PostgresSessionFiles } from '../../sessions/postgres-session-files.ts'
import { PostgresSessionTable } from '../../sessions/postgres-session-table.ts'
import { SqlSessionStore } from '../../sessions/sql-session-store.ts'
import { openPostgres } from '../../store/postgres-database.ts'
import { PostgresNotices } from '../../store/postgres-notices.ts'
import { PostgresOwners } from '../../store/postgres-owners.ts'
import { settleKeys } from '../../store/settle-keys.ts'
import { SharedRateLimits } from '../../store/shared-rate-limits.ts'
import type { StoreNotice } from './execution-store.ts'
import { PostgresExecutions } from './postgres-executions.ts'
import { PostgresWorkQueue } from './postgres-work-queue.ts'
import { PublishedApprovals } from './published-approvals.ts'
import { PublishedRuns } from './published-runs.ts'
import { RunCalls } from './run-calls.ts'
import { SqlExecutionStore } from './sql-execution-store.ts'
import type { PostgresPlace, Stores, StoresOptions } from './stores.ts'

export async function openPostgresStores(options: StoresOptions & { postgres: PostgresPlace }): Promise<Stores> {
  const { ids, clock, postgres, waitMs, endAgentsOf = async () => {} } = options
  const sql = await openPostgres({ url: postgres.url, waitMs, statementMs: postgres.statementMs })
  const owners = new PostgresOwners(sql, {
    ids,
    machine: postgres.machine,
    deadAfterMs: postgres.deadAfterMs,
    onLost: (loss) => postgres.onLost?.(loss),
    endAgentsOf,
    endStranded: (goneAfterSecs) => queue.endStranded(goneAfterSecs),
    endWorkOf: function* (name) {
      yield* queue.endWorkOf(name)
      yield* board.releaseRunsOf(name)
      return yield* sessions.endTurnsOf(name)
    },
  })
  const notices = new PostgresNotices(sql)
  const watch = (listener: (notice: StoreNotice) => void) => notices.watch((notice) => listener(notice as StoreNotice))
  const executions = new SqlExecutionStore({ sql, owners, stored: new PostgresExecutions(sql), watch }, options)
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
    settleKeys: (keys) => settleKeys(sql, keys),
    runs: { board, calls: new RunCalls(sql, { owners, notices, ids }) },
    queue,
    approvals: new PublishedApprovals(sql),
    rateLimits: new SharedRateLimits(sql),
  }
}
