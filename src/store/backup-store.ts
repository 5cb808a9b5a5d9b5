/**
 * Writes a backup: one snapshot of the session file, with a table that has the config file. It is a session file that can be used as
 * it is.
 */
import { lstatSync, mkdirSync, rmSync, statSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { Fault, toErrorMessage } from '../kit/fault.ts'
import { fileNotRegular, fileWriteFailed } from '../kit/faults.ts'
import { fileKind, isSameFile, systemReason } from '../kit/files/disk.ts'
import { removeLeftovers, temporaryName } from '../kit/files/temporary-file.ts'
import { placeFile } from '../kit/files/write-file.ts'
import { openUnchanged, readSchemaVersion, type StoreDatabase } from './database.ts'
import { backupExists, backupOverStore, nothingToBackUp, sessionStoreInvalid } from './faults.ts'
import { findDamage } from './inspect-store.ts'
import { MIGRATIONS } from './migrations.ts'
import { findStoreFile, toStoreFault } from './store-file.ts'

const COUNTED = ['sessions', 'executions', 'execution_events', 'usage'] as const

export type StoreCounts = Record<(typeof COUNTED)[number], number>

/** How far a backup or its restoration is. */
export type BackupProgress = (step: 'copy' | 'check', share: number) => void

/** The table of a backup. Its one row is the last thing that is written. */
export const BACKUP_TABLE = 'backup'

export type BackupRequest = {
  /** The session file. */
  path: string
  target: string
  mayReplace: boolean
  /** The content of the config file, if it belongs to the backup. */
  settings: Uint8Array | undefined
  createdAt: string
  onProgress: BackupProgress
}

/** Works while others use the file. Throws and leaves no file if the copy is not complete and undamaged. */
export async function backupStore(request: BackupRequest): Promise<{ counts: StoreCounts; bytes: number }> {
  const { path, target, mayReplace, onProgress } = request
  checkTarget(request)
  return await inStagingDirectory(dirname(target), async (staged) => {
    const source = await openUnchanged(path, { access: 'write' })
    const read = () => {
      readSchemaVersion(source, MIGRATIONS.length)
      return countRows(source)
    }
    const copying = { read, onProgress: (done: number, total: number) => onProgress('copy', done / total) }
    const counts = await source.copyTo(staged, copying).finally(() => source.close())
    onProgress('check', 0)
    const copy = await openUnchanged(staged, { access: 'write' })
    try {
      describeBackup(copy, { ...request, counts })
      const problem = findProblem(copy, counts)
      if (problem !== undefined) throw sessionStoreInvalid({ path, problem })
    } catch (error) {
      throw toStoreFault(target, error)
    } finally {
      copy.close()
    }
    const { size } = statSync(staged)
    placeFile({ path: target, temporary: staged, mode: 0o600, mayExist: mayReplace })
    return { counts, bytes: size }
  })
}

function checkTarget({ path, target, mayReplace }: BackupRequest): void {
  const store = findStoreFile(path)
  if (store === undefined) throw nothingToBackUp({ path })
  const found = statSync(target, { bigint: true, throwIfNoEntry: false })
  if (isSameFile(store, found)) throw backupOverStore({ path: target })
  if (found?.isFile() === false) throw fileNotRegular({ path: target, kind: fileKind(found) })
  if (!mayReplace && lstatSync(target, { throwIfNoEntry: false }) !== undefined) throw backupExists({ path: target })
}

function describeBackup(copy: StoreDatabase, backupRequest: BackupRequest & { counts: StoreCounts }): void {
  const { counts, settings, createdAt } = backupRequest
  // SQLite leaves no file beside one in this mode.
  copy.exec(`PRAGMA journal_mode = DELETE; DROP TABLE IF EXISTS ${BACKUP_TABLE};
    CREATE TABLE ${BACKUP_TABLE} (created_at TEXT NOT NULL, counts TEXT NOT NULL, settings BLOB) STRICT`)
  const insert = `INSERT INTO ${BACKUP_TABLE} (created_at, counts, settings) VALUES (?, ?, ?)`
  copy.all(insert, createdAt, JSON.stringify(counts), settings ?? null)
}

/** What is wrong with a copy; undefined if nothing is. */
export function findProblem(copy: StoreDatabase, counts: StoreCounts | undefined): string | undefined {
  const damage = checkIntegrity(copy)
  if (damage !== undefined) return `it is damaged (${damage})`
  const found = countRows(copy)
  const differing = COUNTED.find((table) => counts !== undefined && counts[table] !== found[table])
  return differing && `it has ${found[differing]} rows of ${differing}, not ${counts?.[differing]}`
}

/** SQLite may also fail to check a file that is damaged. */
function checkIntegrity(copy: StoreDatabase): string | undefined {
  try {
    return findDamage(copy, 'integrity_check')[0]
  } catch (error) {
    const fault = toStoreFault(copy.path, error)
    if (fault instanceof Fault && fault.code === sessionStoreInvalid.code) return toErrorMessage(error)
    throw fault
  }
}

/** Files of old releases do not have all tables. */
export function countRows(database: StoreDatabase): StoreCounts {
  const rows = database.all("SELECT name FROM sqlite_schema WHERE type = 'table'")
  const names = rows.map(({ name }) => String(name))
  const count = (table: string) =>
    names.includes(table) ? Number(database.get(`SELECT count(*) AS count FROM ${table}`)?.['count']) : 0
  return {
    sessions: count('sessions'),
    executions: count('executions'),
    execution_events: count('execution_events'),
    usage: count('usage'),
  }
}

/** Runs `work` with the path of a new file beside the target. A killed process leaves a directory that the next write removes. */
export async function inStagingDirectory<T>(folder: string, work: (staged: string) => Promise<T>): Promise<T> {
  const directory = join(folder, temporaryName())
  removeLeftovers(folder)
  try {
    mkdirSync(directory, { mode: 0o700 })
  } catch (error) {
    throw fileWriteFailed({ path: folder, commitment: 'not_committed', reason: systemReason(error) }, error)
  }
  try {
    return await work(join(directory, 'sessions.db'))
  } finally {
    rmSync(directory, { recursive: true, force: true })
  }
}
