import type { Config } from '../../config/config.shape.ts'
import type { SessionStore } from '../../sessions/session-store.ts'
import type { Invocation } from '../command.ts'
import { openSessions } from '../prompt/prompt-setup.ts'
import { readSettings } from '../settings.ts'
import { nameCandidates } from '../words/name-candidates.ts'

/** Does something with the sessions of this user, and closes them whatever happens. */
export async function withSessions(
  invocation: Invocation,
  work: (store: SessionStore, config: Config) => Promise<number>,
): Promise<number> {
  const { config } = await readSettings(invocation)
  const store = await openSessions(invocation, config)
  try {
    const now = invocation.runtime.clock.now()
    return await nameCandidates({ store, now }, () => work(store, config))
  } finally {
    await store.close()
  }
}
