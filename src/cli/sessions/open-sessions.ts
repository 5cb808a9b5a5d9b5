/** Opens the sessions of the user, for commands that read or change them. */
import type { Config } from '../../config/config.shape.ts'
import type { SessionService } from '../../service/drover-service.ts'
import { SessionCalls } from '../../service/session-calls.ts'
import type { SessionStore } from '../../sessions/session-store.ts'
import type { Invocation } from '../command.ts'
import { openCommandStores } from '../open/open-command-stores.ts'
import { readSettings } from '../settings.ts'
import { listCandidates } from './ambiguous-id.ts'

type OpenSessions = {
  store: SessionStore
  /** This part of the service alone: all of it would take longer to load. */
  sessions: SessionService
  config: Config
}

export async function withSessions(
  invocation: Invocation,
  work: (open: OpenSessions) => Promise<number>,
): Promise<number> {
  const { config } = await readSettings(invocation)
  const stores = await openCommandStores(invocation, config)
  const { sessions: store } = stores
  try {
    const sessions = new SessionCalls(async () => stores)
    const now = invocation.runtime.clock.now()
    return await listCandidates({ store, now }, () => work({ store, sessions, config }))
  } finally {
    await store.close()
  }
}
