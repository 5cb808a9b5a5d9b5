import type { Config } from '../../config/config.shape.ts'
import { openUserStores as openStoresOfUser } from '../../executions/open-user-stores.ts'
import type { ExecutionStore } from '../../executions/store/execution-store.ts'
import type { Loss, Stores } from '../../executions/store/stores.ts'
import type { SessionStore } from '../../sessions/session-store.ts'
import type { Invocation } from '../command.ts'
import { findUserPaths, readSettings } from '../settings.ts'
import { listCandidates } from './ambiguous-id.ts'

export async function openUserStores(
  invocation: Invocation,
  config: Config,
  { onLost = () => {} }: { onLost?: (loss: Loss) => void } = {},
): Promise<Stores> {
  const { env, clock } = invocation.runtime
  const path = findUserPaths(invocation).sessions
  return await openStoresOfUser({ settings: config, path, env, clock, onLost })
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
