/** Opens the executions of all processes of the user, for commands that look at them or cancel them. */
import type { Stores } from '../../executions/store/stores.ts'
import type { InProcessDrover } from '../../service/in-process.ts'
import type { Invocation } from '../command.ts'
import { openDrover } from '../open/open-drover.ts'
import { readSettings } from '../settings.ts'

export type OpenExecutions = {
  store: Stores['executions']
  drover: InProcessDrover
}

/** While a command waits, executions of processes that have died are looked for this often. */
const LOST_CHECK_MS = 1000

export async function withExecutions(
  invocation: Invocation,
  work: (open: OpenExecutions) => Promise<number>,
): Promise<number> {
  const { config } = await readSettings(invocation)
  await using drover = openDrover(invocation, { config, isDemo: false })
  const { sessions, executions: store } = await drover.stores()
  // Otherwise a command would wait for ever for the end of an execution whose process was killed.
  const timer = setInterval(() => void sessions.endAbandonedTurns().catch(() => {}), LOST_CHECK_MS).unref()
  try {
    return await work({ store, drover })
  } finally {
    clearInterval(timer)
  }
}
