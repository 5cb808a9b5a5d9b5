import { existsSync } from 'node:fs'
import { findPaths } from '../../config/paths.ts'
import { randomIds } from '../../kit/ids.ts'
import type { Runtime } from '../command.ts'
import { shortIdOf } from './session-text.ts'

const MOST_OFFERED = 50

/** The ids of the latest sessions, for completion: makes no file where there is none, and says nothing of trouble. */
export async function suggestSessionIds({ clock, ...surroundings }: Runtime): Promise<readonly string[]> {
  const path = findPaths(surroundings).sessions
  if (!existsSync(path)) return []
  try {
    const { openSessionStore } = await import('../../sessions/sqlite-session-store.ts')
    const store = await openSessionStore({ path, clock, ids: randomIds, waitMs: 200 })
    const { sessions } = await store.list({}, { limit: MOST_OFFERED, offset: 0 })
    await store.close()
    return sessions.map(shortIdOf)
  } catch {
    return []
  }
}
