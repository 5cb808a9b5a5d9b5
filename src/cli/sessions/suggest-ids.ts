/** The ids of sessions and executions, for completion. Creates no file and ignores all errors. */
import { existsSync } from 'node:fs'
import { findPaths } from '../../config/paths.ts'
import { shortExecutionId } from '../../executions/store/execution-id.ts'
import type { Stores } from '../../executions/store/stores.ts'
import { randomIds } from '../../kit/ids.ts'
import type { Runtime } from '../command.ts'
import { shortenSessionId } from './session-text.ts'

const MAX_SUGGESTED = 50

export async function suggestSessionIds(runtime: Runtime): Promise<readonly string[]> {
  return await suggestFromStores(runtime, async ({ sessions }) => {
    const latest = await sessions.list({}, { limit: MAX_SUGGESTED, offset: 0 })
    return latest.sessions.map(shortenSessionId)
  })
}

export async function suggestExecutionIds(runtime: Runtime, which: 'running' | 'latest'): Promise<readonly string[]> {
  return await suggestFromStores(runtime, async ({ executions }) => {
    const found =
      which === 'running'
        ? await executions.running()
        : (await executions.list({}, { limit: MAX_SUGGESTED })).executions
    return found.map(shortExecutionId)
  })
}

async function suggestFromStores(
  { clock, ...environment }: Runtime,
  find: (stores: Stores) => Promise<readonly string[]>,
): Promise<readonly string[]> {
  const path = findPaths(environment).sessions
  if (!existsSync(path)) return []
  try {
    const { openStores } = await import('../../executions/store/open-stores.ts')
    const stores = await openStores({ path, clock, ids: randomIds, waitMs: 200 })
    const found = await find(stores)
    await stores.sessions.close()
    return found
  } catch {
    return []
  }
}
