import { hostname } from 'node:os'
import { abandonedAgentsEnder } from '../../agents/clean-up.ts'
import type { Config } from '../../config/config.shape.ts'
import { findPaths } from '../../config/paths.ts'
import type { ExecutionStore } from '../../executions/execution-store.ts'
import { openStores, type PostgresPlace, type Stores } from '../../executions/open-stores.ts'
import { randomIds } from '../../kit/ids.ts'
import type { SessionStore } from '../../sessions/session-store.ts'
import type { Invocation } from '../command.ts'
import { configEnvironmentOf, readSettings } from '../settings.ts'
import { listCandidates } from './ambiguous-id.ts'

/**
 * Opens the user's store, or the one that many machines share. First ends the sessions and executions that a killed
 * process left running.
 */
export async function openUserStores(
  invocation: Invocation,
  config: Config,
  { onLost = () => {} }: { onLost?: () => void } = {},
): Promise<Stores> {
  const stores = await openStores({
    ...placeOf(invocation, config, onLost),
    clock: invocation.runtime.clock,
    ids: randomIds,
    storeTokenUsage: config.session.store_token_usage,
    endAgentsOf: abandonedAgentsEnder(invocation.runtime.env),
  })
  await stores.sessions.endAbandonedTurns()
  return stores
}

function placeOf(
  invocation: Invocation,
  { store }: Config,
  onLost: () => void,
): { path: string } | { postgres: PostgresPlace } {
  if (store.url === 'sqlite:') return { path: findPaths(configEnvironmentOf(invocation)).sessions }
  const machine = store.machine || hostname()
  return { postgres: { url: store.url, machine, deadAfterMs: store.dead_after_secs * 1000, onLost } }
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
