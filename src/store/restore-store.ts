/**
 * Restores a backup. At every moment, even after a kill, the session file is complete: the old one or the new one. The old state is
 * kept in a directory beside it.
 */
import { linkSync, mkdirSync, statSync, unlinkSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { Fault } from '../kit/fault.ts'
import { fileMissing, fileNotRegular, fileWriteFailed } from '../kit/faults.ts'
import { fileKind, isSameFile, syncDirectoryAt, systemReason } from '../kit/files/disk.ts'
import { ensurePrivateDirectory } from '../kit/files/private-directory.ts'
import { readFileBytes } from '../kit/files/read-file.ts'
import { createFile, placeFile, replaceFile } from '../kit/files/write-file.ts'
import {
  BACKUP_TABLE,
  type BackupProgress,
  countRows,
  findProblem,
  inStagingDirectory,
  type StoreCounts,
} from './backup-store.ts'
import { openUnchanged, readSchemaVersion, type StoreDatabase } from './database.ts'
import {
  backupInvalid,
  backupNewer,
  backupOverStore,
  homeInUse,
  sessionStoreBusy,
  sessionStoreInvalid,
  sessionStoreNewer,
} from './faults.ts'
import { countOwners } from './inspect-store.ts'
import { MIGRATIONS } from './migrations.ts'
import { toOwnersDirectory } from './owners.ts'
import type { Row } from './sql.ts'
import { ensureStoreFile, findStoreFile, toStoreFault } from './store-file.ts'

export type RestoreRequest = {
  /** The session file. */
  path: string
  from: string
  /** The config file that the backup replaces; undefined: none. */
  config: { path: string; limitBytes: number } | undefined
  /** The new directory that gets the old files. */
  keepIn: string
  onProgress: BackupProgress
}

export type Restored = {
  counts: StoreCounts
  /** When the backup was written; undefined if drover did not write it. */
  createdAt: string | undefined
  /** Whether the config file has the content of the backup now. */
  hasSettings: boolean
  /** Undefined if there was nothing to keep. */
  kept: string | undefined
}

type Staged = { counts: StoreCounts; createdAt: string | undefined; settings: Uint8Array | undefined }

/** Everything of a store in another mode than `claim` leaves it in. */
const COMPANIONS = ['-wal', '-shm', '-journal']
const PRIVATE = 0o600

export async function restoreStore(request: RestoreRequest): Promise<Restored> {
  const { path, from } = request
  checkSource(request)
  ensurePrivateDirectory({ path: dirname(path), links: 'follow' })
  return await inStagingDirectory(dirname(path), async (file) => {
    const staged = await stageBackup(request, file).catch((error: unknown) => {
      throw toBackupFault(from, error)
    })
    // An empty file is what a drover leaves that had nothing to store.
    const hasStore = (findStoreFile(path)?.size ?? 0n) > 0n
    const claimed = await claimStore(path)
    try {
      return replaceState(request, { ...staged, file, hasStore })
    } finally {
      claimed?.close()
    }
  })
}

function checkSource({ path, from }: RestoreRequest): void {
  const found = statSync(from, { bigint: true, throwIfNoEntry: false })
  if (found === undefined) throw fileMissing({ path: from })
  if (!found.isFile()) throw fileNotRegular({ path: from, kind: fileKind(found) })
  const store = findStoreFile(path)
  if (store !== undefined && isSameFile(store, found)) throw backupOverStore({ path: from })
  // Its newest content would be missing.
  if (statSync(`${from}-wal`, { throwIfNoEntry: false })?.size) {
    throw backupInvalid({ path: from, problem: 'a process writes to it, or was killed while it did' })
  }
}

/** Copies the backup beside the store, and checks the copy: that is what will be used. */
async function stageBackup({ from, onProgress }: RestoreRequest, file: string): Promise<Staged> {
  const source = await openUnchanged(from, { access: 'immutable' })
  const read = () => readSchemaVersion(source, MIGRATIONS.length)
  const copying = { read, onProgress: (done: number, total: number) => onProgress('copy', done / total) }
  const version = await source.copyTo(file, copying).finally(() => source.close())
  if (version === 0) throw backupInvalid({ path: from, problem: 'it is empty' })
  onProgress('check', 0)
  const copy = await openUnchanged(file, { access: 'write' })
  try {
    copy.exec('PRAGMA journal_mode = DELETE')
    const row = readBackupRow(copy)
    const problem = findProblem(copy, row && JSON.parse(String(row['counts'])))
    if (problem !== undefined) throw backupInvalid({ path: from, problem })
    copy.exec(`DROP TABLE IF EXISTS ${BACKUP_TABLE}`)
    const { created_at: createdAt, settings } = row ?? {}
    return {
      counts: countRows(copy),
      createdAt: typeof createdAt === 'string' ? createdAt : undefined,
      settings: settings instanceof Uint8Array ? settings : undefined,
    }
  } finally {
    copy.close()
  }
}

/** Undefined for a copy that another program made. */
function readBackupRow(copy: StoreDatabase): Row | undefined {
  const table = copy.get('SELECT 1 FROM sqlite_schema WHERE name = ?', BACKUP_TABLE)
  return table && copy.get(`SELECT * FROM ${BACKUP_TABLE}`)
}

/** The faults of a session file advise to restore a backup. */
function toBackupFault(path: string, thrown: unknown): unknown {
  const error = toStoreFault(path, thrown)
  if (!(error instanceof Fault)) return error
  const { version, known, problem } = error.details as { version: number; known: number; problem: string }
  if (error.code === sessionStoreNewer.code) return backupNewer({ path, version, known }, error)
  return error.code === sessionStoreInvalid.code ? backupInvalid({ path, problem }, error) : error
}

/** Keeps all others out until it is closed. Undefined if the file is damaged, so that no drover can use it. */
async function claimStore(path: string): Promise<StoreDatabase | undefined> {
  if ((await countOwners(toOwnersDirectory(path))).alive > 0) throw homeInUse({ path })
  ensureStoreFile(path)
  const database = await openUnchanged(path, { access: 'write' })
  try {
    await database.claim()
    return database
  } catch (error) {
    database.close()
    const code = error instanceof Fault ? error.code : undefined
    if (code === sessionStoreInvalid.code) return undefined
    throw code === sessionStoreBusy.code ? homeInUse({ path }, error) : error
  }
}

/** Each step leaves a complete state. Repeating all of them completes what a kill has interrupted. */
function replaceState(restoreRequest: RestoreRequest, staged: Staged & { file: string; hasStore: boolean }): Restored {
  const { path, config, keepIn } = restoreRequest
  const { counts, createdAt, settings, file, hasStore } = staged
  const old = config && settings && readCurrent(config)
  const isConfigReplaced = config !== undefined && settings !== undefined && !old?.equals(settings)
  const files = hasStore ? [path, ...companionsOf(path)] : []
  const kept = keepOld({
    files,
    keepIn,
    config: isConfigReplaced && old ? { path: config.path, bytes: old } : undefined,
  })
  // A damaged store may have them. Beside the new file they would be taken for its own.
  for (const companion of companionsOf(path)) unlinkSync(companion)
  placeFile({ path, temporary: file, mode: PRIVATE, mayExist: true })
  if (isConfigReplaced) replaceFile({ path: config.path, bytes: settings, mode: PRIVATE, links: 'follow' })
  return { counts, createdAt, hasSettings: config !== undefined && settings !== undefined, kept }
}

function readCurrent({ path, limitBytes }: { path: string; limitBytes: number }): Buffer | undefined {
  const isThere = statSync(path, { throwIfNoEntry: false }) !== undefined
  return isThere ? readFileBytes({ path, limitBytes, links: 'follow' }) : undefined
}

type OldState = { files: readonly string[]; keepIn: string; config: { path: string; bytes: Buffer } | undefined }

/** Returns the directory, if there was something to keep. */
function keepOld({ files, keepIn, config }: OldState): string | undefined {
  if (files.length === 0 && config === undefined) return undefined
  try {
    mkdirSync(keepIn, { mode: 0o700 })
    for (const file of files) linkSync(file, join(keepIn, basename(file)))
    if (config !== undefined) {
      createFile({ path: join(keepIn, basename(config.path)), bytes: config.bytes, mode: PRIVATE })
    }
    syncDirectoryAt(keepIn)
    syncDirectoryAt(dirname(keepIn))
    return keepIn
  } catch (error) {
    throw fileWriteFailed({ path: keepIn, commitment: 'not_committed', reason: systemReason(error) }, error)
  }
}

function companionsOf(path: string): string[] {
  return COMPANIONS.map((suffix) => path + suffix).filter((file) => findStoreFile(file) !== undefined)
}
