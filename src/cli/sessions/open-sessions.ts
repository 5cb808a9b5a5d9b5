import { abandonedAgentsEnder } from '../../agents/clean-up.ts'
import type { Config } from '../../config/config.shape.ts'
import { findPaths } from '../../config/paths.ts'
import { randomIds } from '../../kit/ids.ts'
import type { SessionStore } from '../../sessions/session-store.ts'
import { openSessionStore } from '../../sessions/sqlite-session-store.ts'
import type { Invocation } from '../command.ts'
import { configEnvironmentOf, readSettings } from '../settings.ts'
import { listCandidates } from './ambiguous-id.ts'

/** Opens the user's session store. First ends the sessions that a killed process left in the state `active`. */
export async function openSessions(invocation: Invocation, config: Config): Promise<SessionStore> {
  const store = await openSessionStore({
    path: findPaths(configEnvironmentOf(invocation)).sessions,
    clock: invocation.runtime.clock,
    ids: randomIds,
    storeTokenUsage: config.session.store_token_usage,
    endAgentsOf: abandonedAgentsEnder(invocation.runtime.env),
  })
  await store.endAbandonedTurns()
  return store
}

/** Opens the session store for one piece of work and closes it afterwards. */
export async function withSessions(
  invocation: Invocation,
  work: (store: SessionStore, config: Config) => Promise<number>,
): Promise<number> {
  const { config } = await readSettings(invocation)
  const store = await openSessions(invocation, config)
  try {
    const now = invocation.runtime.clock.now()
    return await listCandidates({ store, now }, () => work(store, config))
  } finally {
    await store.close()
  }
}
