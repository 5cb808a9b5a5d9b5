import { existsSync } from 'node:fs'
import { findPaths } from '../../config/paths.ts'
import { randomIds } from '../../kit/ids.ts'
import type { Runtime } from '../command.ts'
import { shortenSessionId } from './session-text.ts'

const MAX_SUGGESTED = 50

/** The ids of the latest sessions, for completion. Creates no file and ignores all errors. */
export async function suggestSessionIds({ clock, ...environment }: Runtime): Promise<readonly string[]> {
  const path = findPaths(environment).sessions
  if (!existsSync(path)) return []
  try {
    const { openStores } = await import('../../executions/store/open-stores.ts')
    const { sessions: store } = await openStores({ path, clock, ids: randomIds, waitMs: 200 })
    const { sessions } = await store.list({}, { limit: MAX_SUGGESTED, offset: 0 })
    await store.close()
    return sessions.map(shortenSessionId)
  } catch {
    return []
  }
}
