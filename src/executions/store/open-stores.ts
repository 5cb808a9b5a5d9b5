/** Opens the store that has sessions and executions: the user's SQLite file, or a PostgreSQL database. */

import type { Clock } from '../../kit/clock.ts'
import type { Ids } from '../../kit/ids.ts'
import { PostgresSessionStore } from '../../sessions/postgres-session-store.ts'
import type { SessionStore } from '../../sessions/session-store.ts'
import { SqliteSessionStore } from '../../sessions/sqlite-session-store.ts'
import { openDatabase } from '../../store/database.ts'
import { openPostgres } from '../../store/postgres-database.ts'
import { PostgresNotices } from '../../store/postgres-notices.ts'
import { type Loss, PostgresOwners } from '../../store/postgres-owners.ts'
import { type SettledKeys, settleKeys } from '../../store/settle-keys.ts'
import { SharedRateLimits } from '../../store/shared-rate-limits.ts'
import type { ExecutionStore } from './execution-store.ts'
import { PostgresExecutionStore } from './postgres-execution-store.ts'
import { PostgresWorkQueue } from './postgres-work-queue.ts'
import { PublishedApprovals } from './published-approvals.ts'
import { PublishedRuns } from './published-runs.ts'
import { RunCalls } from './run-calls.ts'
import { SqliteExecutionStore } from './sqlite-execution-store.ts'
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
  const database = await openDatabase(options)
  const executions = new SqliteExecutionStore(database, options)
  const onOwnerGone = (owner: string) => executions.loseAllOf(owner)
  return {
    sessions: new SqliteSessionStore(database, { ...options, onOwnerGone }),
    executions,
    settleKeys: (ids) => settleKeys((sql, ...values) => database.write(() => database.all(sql, ...values)), ids),
  }
}

async function openPostgresStores(options: StoresOptions & { postgres: PostgresPlace }): Promise<Stores> {
  const { ids, postgres, waitMs, endAgentsOf = async () => {} } = options
  const database = await openPostgres({ url: postgres.url, waitMs, statementMs: postgres.statementMs })
  const owners = new PostgresOwners(database, {
    ids,
    machine: postgres.machine,
    deadAfterMs: postgres.deadAfterMs,
    onLost: (loss) => postgres.onLost?.(loss),
    endAgentsOf,
    endStranded: (goneAfterSecs) => executions.endStranded(goneAfterSecs),
    endWorkOf: async (transaction, name) => {
      await executions.endExecutionsOf(transaction, name)
      await board.releaseRunsOf(transaction, name)
      return await sessions.endTurnsOf(transaction, name)
    },
  })
  const notices = new PostgresNotices(database)
  const executions = new PostgresExecutionStore(database, { owners, notices }, options)
  const sessions = new PostgresSessionStore(database, { owners, notices }, options)
  const board = new PublishedRuns(database, { owners, notices })
  return {
    sessions,
    executions,
    settleKeys: (ids) => settleKeys((sql, ...values) => database.all(sql, ...values), ids),
    runs: { board, calls: new RunCalls(database, { owners, notices, ids }) },
    queue: new PostgresWorkQueue(database, { owners, clock: options.clock }),
    approvals: new PublishedApprovals(database),
    rateLimits: new SharedRateLimits(database),
  }
}
