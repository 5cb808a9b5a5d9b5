import { abandonedAgentsEnder } from '../../agents/clean-up.ts'
import type { Config } from '../../config/config.shape.ts'
import { findPaths } from '../../config/paths.ts'
import type { ExecutionStore } from '../../executions/execution-store.ts'
import { openStores, type Stores } from '../../executions/open-stores.ts'
import { randomIds } from '../../kit/ids.ts'
import type { SessionStore } from '../../sessions/session-store.ts'
import type { Invocation } from '../command.ts'
import { configEnvironmentOf, readSettings } from '../settings.ts'
import { listCandidates } from './ambiguous-id.ts'

/** Opens the user's store. First ends the sessions and executions that a killed process left running. */
export async function openUserStores(invocation: Invocation, config: Config): Promise<Stores> {
  const stores = await openStores({
    path: findPaths(configEnvironmentOf(invocation)).sessions,
    clock: invocation.runtime.clock,
    ids: randomIds,
    storeTokenUsage: config.session.store_token_usage,
    endAgentsOf: abandonedAgentsEnder(invocation.runtime.env),
  })
  await stores.sessions.endAbandonedTurns()
  return stores
}

type SessionWork = (store: SessionStore, config: Config, executions: ExecutionStore) => Promise<number>

/** Opens the session store for one piece of work and closes it afterwards. */
export async function withSessions(invocation: Invocation, work: SessionWork): Promise<number> {
  const { config } = await readSettings(invocation)
  const { sessions: store, executions } = await openUserStores(invocation, config)
  try {
    const now = invocation.runtime.clock.now()
    return await listCandidates({ store, now }, () => work(store, config, executions))
  } finally {
    await store.close()
  }
}
