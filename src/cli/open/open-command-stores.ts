import type { Config } from '../../config/config.shape.ts'
import { openUserStores } from '../../executions/open-user-stores.ts'
import type { Loss, Stores } from '../../executions/store/stores.ts'
import type { Invocation } from '../command.ts'
import { findUserPaths } from '../settings.ts'

export async function openCommandStores(
  invocation: Invocation,
  config: Config,
  { onLost = () => {} }: { onLost?: (loss: Loss) => void } = {},
): Promise<Stores> {
  const { env, clock } = invocation.runtime
  const path = findUserPaths(invocation).sessions
  return await openUserStores({ settings: config, path, env, clock, onLost })
}
