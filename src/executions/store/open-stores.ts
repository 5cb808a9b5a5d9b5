/** Opens the store that has sessions and executions: the user's SQLite file, or a PostgreSQL database. */

import type { Clock } from '../../kit/clock.ts'
import type { Ids } from '../../kit/ids.ts'
import { PostgresSessionFiles } from '../../sessions/postgres-session-files.ts'
import { PostgresSessionTable } from '../../sessions/postgres-session-table.ts'
import type { SessionStore } from '../../sessions/session-store.ts'
import { findOwners } from '../../sessions/session-table.ts'
import { SqlSessionStore } from '../../sessions/sql-session-store.ts'
import { SqliteSessionTable } from '../../sessions/sqlite-session-table.ts'
import { openDatabase } from '../../store/database.ts'
import { FileOwners, toOwnersDirectory } from '../../store/owners.ts'
import { openPostgres } from '../../store/postgres-database.ts'
import { PostgresNotices } from '../../store/postgres-notices.ts'
import { type Loss, PostgresOwners } from '../../store/postgres-owners.ts'
import { type SettledKeys, settleKeys } from '../../store/settle-keys.ts'
import { SharedRateLimits } from '../../store/shared-rate-limits.ts'
import type { ExecutionStore, StoreNotice } from './execution-store.ts'
import { PostgresExecutions } from './postgres-executions.ts'
import { PostgresWorkQueue } from './postgres-work-queue.ts'
import { PublishedApprovals } from './published-approvals.ts'
import { PublishedRuns } from './published-runs.ts'
import { RunCalls } from './run-calls.ts'
import { SqlExecutionStore } from './sql-execution-store.ts'
import { SqliteExecutions } from './sqlite-executions.ts'
import type { WorkQueue } from './work-queue.ts'

export type { Loss }

export type Stores = {
  /** Closing it closes the file or the connections. */
  sessions: SessionStore
  executions: ExecutionStore
  /** Decides about rows that are older than the ids of keys (key-ids.ts). `ids` has keys by their names. */
  settleKeys(ids: ReadonlyMap<string, string>): Promise<SettledKeys>
  /** With PostgreSQL, the prompts that wait for a worker. */
  queue?: WorkQueue
  /** With PostgreSQL, what agents on all machines ask for. */
  approvals?: PublishedApprovals
  /** With PostgreSQL, the rate limits that all servers share. */
  rateLimits?: SharedRateLimits
  /** With PostgreSQL, the driven runs of all machines, and the requests about them. */
  runs?: { board: PublishedRuns; calls: RunCalls }
}

export type StoresOptions = {
  clock: Clock
  ids: Ids
  /** Whether sessions and the usage store tokens. */
  storeTokenUsage?: boolean
  /** How long an operation waits while the file is locked, or while PostgreSQL cannot be reached. */
  waitMs?: number
  /** Ends the agents that a dead process left running, before its sessions can be used again. */
  endAgentsOf?: (owner: string) => Promise<void>
} & ({ path: string } | { postgres: PostgresPlace })

export type PostgresPlace = {
  url: string
  /** The name of this machine. */
  machine: string
  /** A process that gives no sign of life for this long is dead. */
  deadAfterMs: number
  /** How long a statement may take. */
  statementMs?: number | undefined
  /** Called when others have taken over from this process, or may have. */
  onLost?: (loss: Loss) => void
}

export async function openStores(options: StoresOptions): Promise<Stores> {
  return 'path' in options ? await openSqliteStores(options) : await openPostgresStores(options)
}

async function openSqliteStores(options: StoresOptions & { path: string }): Promise<Stores> {
  const { path, ids, endAgentsOf = async () => {} } = options
  const sql = await openDatabase(options)
  const owners = new FileOwners({
    directory: toOwnersDirectory(path),
    ids,
    findOwners: () => sql.read(findOwners),
    endAgentsOf,
    endWorkOf: async (name) => {
      await executions.loseAllOf(name)
      return await sessions.abandonTurnsOf(name)
    },
  })
  // SQLite has no notices.
  const watch = () => () => {}
  const executions = new SqlExecutionStore({ sql, owners, stored: new SqliteExecutions(sql), watch }, options)
  const table = new SqliteSessionTable()
  const sessions = new SqlSessionStore({ sql, owners, table, close: async () => sql.close() }, options)
  return { sessions, executions, settleKeys: (keys) => settleKeys(sql, keys) }
}

async function openPostgresStores(options: StoresOptions & { postgres: PostgresPlace }): Promise<Stores> {
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
