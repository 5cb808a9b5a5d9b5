import { existsSync } from 'node:fs'
import { hostname } from 'node:os'
import { join, resolve } from 'node:path'
import type { Config } from '../../config/config.shape.ts'
import { CONFIG_FILE_BYTES } from '../../config/read-config.ts'
import { brokenTextRules } from '../../config/setting-rules.ts'
import { toTimestamp } from '../../kit/clock.ts'
import { readFileBytes } from '../../kit/files/read-file.ts'
import { quoteWord } from '../../kit/shell-words.ts'
import { changeAddress } from '../../kit/store-address.ts'
import { type BackupProgress, backupStore, type StoreCounts } from '../../store/backup-store.ts'
import { copyStore } from '../../store/copy-store.ts'
import { backupByPostgres, homeInUse } from '../../store/faults.ts'
import { migratePostgres, toPlainAddress } from '../../store/postgres-database.ts'
import { restoreStore } from '../../store/restore-store.ts'
import type { Invocation, RunCommand, Runtime } from '../command.ts'
import { argumentInvalid, storeNotShared } from '../faults.ts'
import { exitCodeOfSignal, listenForInterruption } from '../interruption.ts'
import { askStatus } from '../local/local-server.ts'
import { openCommandStores } from '../open/open-command-stores.ts'
import { LiveLines } from '../output/live-lines.ts'
import { printResult } from '../output/print-result.ts'
import { toMessage } from '../output/printable.ts'
import { findUserPaths, readSettings, refusePassword } from '../settings.ts'

const SQLITE = 'sqlite:'

export const migrate: RunCommand = async (invocation) => {
  const { config } = await readSettings(invocation)
  const { url, schema } = config.store
  if (url === SQLITE) throw storeNotShared({ command: 'drover store migrate' })
  const migrated = await migratePostgres({ url, schema })
  const { store, from, to } = migrated
  const text =
    from === to ? `${store} is up to date (schema ${to})\n` : `migrated ${store} from schema ${from} to ${to}\n`
  return await printResult(invocation, migrated, () => text)
}

export const copy: RunCommand = async (invocation) => {
  const { args, flags, runtime } = invocation
  const [from = '', to = ''] = args
  if (from !== SQLITE) throw argumentInvalid({ name: 'from', given: from, allowed: [SQLITE], nearest: undefined })
  if (to === SQLITE || brokenTextRules([['store.url', to]]).length > 0) {
    const allowed = ['postgres://USER@HOST:PORT/DATABASE']
    throw argumentInvalid({ name: 'to', given: toPlainAddress(to), allowed, nearest: undefined })
  }
  refusePassword('to', to)
  const { config: settings } = await readSettings(invocation)
  const { url: set } = settings.store
  // The address in DROVER_STORE_URL may have the password that the one on the command line must not have.
  const url = set !== SQLITE && withoutPassword(set) === withoutPassword(to) ? set : to
  const config = { ...settings, store: { ...settings.store, url: SQLITE } }
  // Ends what a killed process left running.
  await (await openCommandStores(invocation, config)).sessions.close()
  const path = findUserPaths(invocation).sessions
  const copied = await copyStore({
    path,
    url,
    schema: config.store.schema,
    machine: config.store.machine || hostname(),
  })
  const { sessions, executions, execution_events: events } = copied
  const text = `copied ${sessions} sessions and ${executions} executions with ${events} events\n`
  await runtime.terminal.out.write(flags.isOn('json') ? `${JSON.stringify(copied)}\n` : text)
  return 0
}

export const backup: RunCommand = async (invocation) => {
  const { args, flags, runtime } = invocation
  const target = resolve(runtime.cwd, args[0] ?? '')
  const { config } = await readSettings(invocation)
  refusePostgres(config.store, { program: 'pg_dump', file: target })
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

export const restore: RunCommand = async (invocation) => {
  const { args, runtime } = invocation
  const from = resolve(runtime.cwd, args[0] ?? '')
  const { config } = await readSettings(invocation)
  refusePostgres(config.store, { program: 'pg_restore', file: from })
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

/** A small store is copied sooner, and shows no progress. */
const QUIET_MS = 300
const REDRAW_MS = 100

/** Shows on a terminal how far a long backup is. A signal stops it before anything has changed; then the result is the exit code. */
async function withBackupProgress<T>(
  { terminal: { err } }: Runtime,
  work: (onProgress: BackupProgress) => Promise<T>,
): Promise<T | number> {
  using interruption = listenForInterruption()
  const lines = new LiveLines(err)
  let next = performance.now() + QUIET_MS
  const onProgress: BackupProgress = (step, share) => {
    interruption.signal.throwIfAborted()
    if (!err.canRedraw || performance.now() < next) return
    next = performance.now() + REDRAW_MS
    void lines.draw([step === 'copy' ? `copying: ${Math.floor(share * 100)} %` : 'checking the copy'])
  }
  try {
    return await work(onProgress)
  } catch (error) {
    const by = interruption.by()
    if (by === undefined || error !== interruption.signal.reason) throw error
    return exitCodeOfSignal(by)
  } finally {
    await lines.clear()
  }
}

function formatCounts({ sessions, executions, execution_events: events }: StoreCounts): string {
  const count = (number: number, name: string) => `${number} ${name}${number === 1 ? '' : 's'}`
  return `${count(sessions, 'session')} and ${count(executions, 'execution')} with ${count(events, 'event')}`
}

function withoutPassword(url: string): string {
  return changeAddress(url, (each) => {
    each.password = ''
    each.searchParams.delete('password')
  })
}

/** Throws the command of PostgreSQL that does it. The role of the address may not read all that a backup needs. */
function refusePostgres(
  { url, schema }: Config['store'],
  { program, file }: { program: 'pg_dump' | 'pg_restore'; file: string },
): void {
  if (url === SQLITE) return
  const address = changeAddress(withoutPassword(url), (each) => {
    each.username = 'OWNER'
  })
  const command =
    program === 'pg_dump'
      ? `pg_dump --format=custom --schema=${schema} --extension=pg_trgm --file=${quoteWord(file)} ${quoteWord(address)}`
      : `pg_restore --clean --if-exists --single-transaction --dbname=${quoteWord(address)} ${quoteWord(file)}`
  throw backupByPostgres({ command })
}
