import { join, resolve } from 'node:path'
import { CONFIG_FILE_BYTES } from '../../config/read-config.ts'
import { toTimestamp } from '../../kit/clock.ts'
import { homeInUse } from '../../store/faults.ts'
import { restoreStore } from '../../store/restore-store.ts'
import type { Invocation, RunCommand } from '../command.ts'
import { askStatus } from '../local/local-server.ts'
import { printResult } from '../output/print-result.ts'
import { toMessage } from '../output/printable.ts'
import { findUserPaths, readSettings } from '../settings.ts'
import { formatCounts, withBackupProgress } from './backup-progress.ts'
import { refusePostgres } from './refuse-postgres.ts'

export const run: RunCommand = async (invocation) => {
  const { args, runtime } = invocation
  const from = resolve(runtime.cwd, args[0] ?? '')
  const { config } = await readSettings(invocation)
  refusePostgres(config.store.url, { program: 'pg_restore', file: from })
  await refuseServer(invocation)
  const paths = findUserPaths(invocation)
  const stamp = toTimestamp(runtime.clock.now()).replaceAll(/[-:.]/g, '')
  const request = {
    ...{ path: paths.sessions, from, keepIn: join(paths.directory, `before-restore-${stamp}`) },
    config: paths.configNamedBy === undefined ? { path: paths.config, limitBytes: CONFIG_FILE_BYTES } : undefined,
  }
  const restored = await withBackupProgress(runtime, (onProgress) => restoreStore({ ...request, onProgress }))
  if (typeof restored === 'number') return restored
  const { counts, createdAt = null, hasSettings, kept = null } = restored
  const report = { file: from, created_at: createdAt, ...counts, settings: hasSettings, kept }
  const old =
    kept === null ? '' : `The old files are in ${toMessage(kept)}; delete them when you no longer need them.\n`
  const text = `restored ${formatCounts(counts)}${hasSettings ? '' : ', without settings'}\n${old}`
  return await printResult(invocation, report, () => text)
}

/** The store alone shows that it is in use, but not by which process. */
async function refuseServer(invocation: Invocation): Promise<void> {
  const status = await askStatus(invocation)
  if (status === undefined) return
  const by = `your server (process ${status.pid})`
  const remedy = status.is_background ? 'stop it with "drover down"' : 'stop it where it was started'
  throw homeInUse({ path: findUserPaths(invocation).sessions, by, remedy })
}
