import { existsSync } from 'node:fs'
import { findPaths } from '../../config/paths.ts'
import { shortExecutionId } from '../../executions/store/execution-id.ts'
import { randomIds } from '../../kit/ids.ts'
import type { Runtime } from '../command.ts'

const MAX_SUGGESTED = 50

/** Ids for completion. Creates no file and ignores all errors. */
export async function suggestExecutionIds(
  { clock, ...environment }: Runtime,
  which: 'running' | 'latest',
): Promise<readonly string[]> {
  const path = findPaths(environment).sessions
  if (!existsSync(path)) return []
  try {
    const { openStores } = await import('../../executions/store/open-stores.ts')
    const { sessions, executions } = await openStores({ path, clock, ids: randomIds, waitMs: 200 })
    const found =
      which === 'running'
        ? await executions.running()
        : (await executions.list({}, { limit: MAX_SUGGESTED })).executions
    await sessions.close()
    return found.map(shortExecutionId)
  } catch {
    return []
  }
}
