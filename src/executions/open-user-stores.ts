import { hostname } from 'node:os'
import { abandonedAgentsEnder } from '../agents/clean-up.ts'
import type { Clock } from '../kit/clock.ts'
import { randomIds } from '../kit/ids.ts'
import { openStores } from './store/open-stores.ts'
import type { Loss, PostgresPlace, Stores } from './store/stores.ts'

type UserStores = {
  settings: {
    session: { store_token_usage: boolean }
    store: { url: string; schema: string; machine: string; dead_after_secs: number; statement_timeout_secs: number }
  }
  /** The SQLite file of the user. */
  path: string
  env: Readonly<Record<string, string | undefined>>
  clock: Clock
  /** Called when other machines have taken over from this process, or may have. */
  onLost: (loss: Loss) => void
}

/**
 * Opens the user's store, or the one that many machines share. First ends the sessions and executions that a killed
 * process left running.
 */
export async function openUserStores(options: UserStores): Promise<Stores> {
  const { settings, env, clock } = options
  const stores = await openStores({
    ...storePlace(options),
    clock,
    ids: randomIds,
    storeTokenUsage: settings.session.store_token_usage,
    endAgentsOf: abandonedAgentsEnder(env),
  })
  await stores.sessions.endAbandonedTurns()
  return stores
}

function storePlace({ settings: { store }, path, onLost }: UserStores): { path: string } | { postgres: PostgresPlace } {
  if (store.url === 'sqlite:') return { path }
  const machine = store.machine || hostname()
  const [deadAfterMs, statementMs] = [store.dead_after_secs * 1000, store.statement_timeout_secs * 1000]
  return { postgres: { url: store.url, schema: store.schema, machine, deadAfterMs, statementMs, onLost } }
}
