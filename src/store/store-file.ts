import { type BigIntStats, chmodSync, lstatSync, statfsSync } from 'node:fs'
import { dirname } from 'node:path'
import { sqliteErrorCode } from '../kit/fault.ts'
import { fileKind, systemReason } from '../kit/files/disk.ts'
import { ensurePrivateDirectory } from '../kit/files/private-directory.ts'
import { ensureEmptyFile } from '../kit/files/write-file.ts'
import { sessionStoreInvalid, sessionStoreUnavailable } from './faults.ts'

const PRIVATE = 0o600
/** SQLite's write-ahead log and its index. It creates both with the mode of the database. */
const COMPANIONS = ['-wal', '-shm']

/**
 * Makes sure that the session file exists and only this user has access; SQLite would create it with a mode that depends
 * on the umask. An existing file is not opened: closing it would drop the locks that this process holds on it.
 */
export function ensureStoreFile(path: string): void {
  ensurePrivateDirectory({ path: dirname(path), links: 'follow' })
  try {
    if (!makePrivate(path)) ensureEmptyFile(path)
    for (const suffix of COMPANIONS) makePrivate(path + suffix)
  } catch (error) {
    throw sessionStoreUnavailable({ path, reason: systemReason(error) }, error)
  }
}

export function findStoreFile(path: string): BigIntStats | undefined {
  return lstatSync(path, { bigint: true, throwIfNoEntry: false })
}

/** With less, the next prompt could not be stored. */
const MIN_FREE_BYTES = 1024 * 1024

/** A small write may succeed on a full disk, because the file has room left. */
export function requireFreeSpace(path: string): void {
  const { bavail, bsize, blocks } = statfsSync(dirname(path))
  // Some file systems do not report their size.
  if (blocks > 0 && bavail * bsize < MIN_FREE_BYTES) {
    throw sessionStoreUnavailable({ path, reason: 'the disk is full' })
  }
}

/** Returns false if the file does not exist. */
function makePrivate(path: string): boolean {
  const found = findStoreFile(path)
  if (found === undefined) return false
  if (!found.isFile()) throw sessionStoreInvalid({ path, problem: `it is a ${fileKind(found)}` })
  if ((found.mode & 0o077n) !== 0n) chmodSync(path, PRIVATE)
  return true
}

const BUSY = [5, 6]
const DAMAGED: Record<number, string> = {
  11: 'it is damaged',
  26: 'it is not a database',
}
const UNAVAILABLE: Record<number, string> = {
  3: 'access is denied; check its permissions',
  7: 'out of memory',
  8: 'it is read-only; check its permissions, and whether its disk is read-only',
  10: 'its disk failed, or is full',
  13: 'the disk is full',
  14: 'it cannot be opened; check the permissions of its directory, and whether its disk is read-only',
}

/** Whether another process, or another part of this one, has the file locked, so that a retry may help. */
export function isBusy(error: unknown): boolean {
  return BUSY.includes(sqliteErrorCode(error) ?? 0)
}

/** The fault for an error of SQLite (https://sqlite.org/rescode.html). Returns any other error unchanged. */
export function toStoreFault(path: string, error: unknown): unknown {
  const code = sqliteErrorCode(error)
  if (code === undefined) return error
  const problem = DAMAGED[code]
  if (problem !== undefined) return sessionStoreInvalid({ path, problem }, error)
  const reason = UNAVAILABLE[code]
  return reason === undefined ? error : sessionStoreUnavailable({ path, reason }, error)
}
