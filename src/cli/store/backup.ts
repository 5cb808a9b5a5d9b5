import { existsSync } from 'node:fs'
import { resolve } from 'node:path'
import { CONFIG_FILE_BYTES } from '../../config/read-config.ts'
import { toTimestamp } from '../../kit/clock.ts'
import { readFileBytes } from '../../kit/files/read-file.ts'
import { backupStore } from '../../store/backup-store.ts'
import type { RunCommand } from '../command.ts'
import { printResult } from '../output/print-result.ts'
import { toMessage } from '../output/printable.ts'
import { findUserPaths, readSettings } from '../settings.ts'
import { formatCounts, withBackupProgress } from './backup-progress.ts'
import { refusePostgres } from './refuse-postgres.ts'

export const run: RunCommand = async (invocation) => {
  const { args, flags, runtime } = invocation
  const target = resolve(runtime.cwd, args[0] ?? '')
  const { config } = await readSettings(invocation)
  refusePostgres(config.store.url, { program: 'pg_dump', file: target })
  const paths = findUserPaths(invocation)
  const isOwnConfig = paths.configNamedBy === undefined && existsSync(paths.config)
  const settings = isOwnConfig
    ? readFileBytes({ path: paths.config, limitBytes: CONFIG_FILE_BYTES, links: 'follow' })
    : undefined
  const createdAt = toTimestamp(runtime.clock.now())
  const request = { path: paths.sessions, target, mayReplace: flags.isOn('force'), settings, createdAt }
  const written = await withBackupProgress(runtime, (onProgress) => backupStore({ ...request, onProgress }))
  if (typeof written === 'number') return written
  const { counts, bytes } = written
  const report = { file: target, bytes, created_at: createdAt, ...counts, settings: settings !== undefined }
  const without = isOwnConfig ? '' : `, without settings (${paths.configNamedBy ?? 'no config.yaml'})`
  return await printResult(
    invocation,
    report,
    () => `wrote ${toMessage(target)}: ${formatCounts(counts)}${without}; checked\n`,
  )
}
