/** Opens the executions of all processes of the user, for commands that look at them or cancel them. */

import { Executions } from '../../executions/executions.ts'
import type { ExecutionStore } from '../../executions/store/execution-store.ts'
import { randomIds } from '../../kit/ids.ts'
import type { Invocation } from '../command.ts'
import { openUserStores } from '../sessions/open-sessions.ts'
import { readSettings } from '../settings.ts'

export type OpenExecutions = {
  store: ExecutionStore
  /** Follows and cancels executions of other processes; this process runs none. */
  executions: Executions
}

/** While a command waits, executions of processes that have died are looked for this often. */
const LOST_CHECK_MS = 1000

export async function withExecutions(
  invocation: Invocation,
  work: (open: OpenExecutions) => Promise<number>,
): Promise<number> {
  const { config } = await readSettings(invocation)
  const { sessions, executions: store } = await openUserStores(invocation, config)
  // Otherwise a command would wait for ever for the end of an execution whose process was killed.
  const timer = setInterval(() => void sessions.endAbandonedTurns().catch(() => {}), LOST_CHECK_MS).unref()
  const executions = new Executions({
    openStore: async () => store,
    owner: () => sessions.owner(),
    clock: invocation.runtime.clock,
    ids: randomIds,
    keep: 'none',
    onFailure: () => {},
    toWarning: String,
  })
  try {
    return await work({ store, executions })
  } finally {
    clearInterval(timer)
    await sessions.close()
  }
}
