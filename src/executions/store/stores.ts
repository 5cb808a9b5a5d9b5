/** What a store offers, in a SQLite file and in PostgreSQL, and what is needed to open one. */
import type { Clock } from '../../kit/clock.ts'
import type { Ids } from '../../kit/ids.ts'
import type { SessionStore } from '../../sessions/session-store.ts'
import type { SettledKeys } from '../../store/key-ids.ts'
import type { Outbox } from '../../store/outbox.ts'
import type { Loss, SweepTask } from '../../store/postgres-owners.ts'
import type { PushSubscriptions } from '../../store/push-subscriptions.ts'
import type { SharedRateLimits } from '../../store/shared-rate-limits.ts'
import type { BudgetStore } from './budget-store.ts'
import type { ExecutionStore } from './execution-store.ts'
import type { Machines } from './machines.ts'
import type { PublishedApprovals } from './published-approvals.ts'
import type { PublishedRuns } from './published-runs.ts'
import type { RunCalls } from './run-calls.ts'
import type { RunCopies } from './run-copies.ts'
import type { WorkQueue } from './work-queue.ts'

export type { Loss }

export type Stores = {
  /** Closing it closes the file or the connections. */
  sessions: SessionStore
  executions: ExecutionStore
  /** Notifications that wait until they are delivered. */
  outbox: Outbox
  /** The browsers that are notified. */
  pushSubscriptions: () => PushSubscriptions
  readonly budgets: BudgetStore
  /** Decides about rows that are older than the ids of keys (key-ids.ts). `ids` has keys by their names. */
  settleKeys(ids: ReadonlyMap<string, string>): Promise<SettledKeys>
  /** With PostgreSQL, the prompts that wait for a worker. */
  queue?: WorkQueue
  /** With PostgreSQL, the machines whose workers use it. */
  machines?: Machines
  /** With PostgreSQL, what agents on all machines ask for. */
  approvals?: PublishedApprovals
  /** With PostgreSQL, the rate limits that all servers share. */
  rateLimits?: SharedRateLimits
  /** With PostgreSQL, whether this process does a task that one process does for all of them. */
  leads?: (task: SweepTask) => Promise<boolean>
  /** With PostgreSQL, the driven runs of all machines, and the requests about them. */
  runs?: { board: PublishedRuns; calls: RunCalls; copies: RunCopies }
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
  /** Has the tables. */
  schema?: string | undefined
  /** Called when others have taken over from this process, or may have. */
  onLost?: (loss: Loss) => void
}
