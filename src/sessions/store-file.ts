import { chmodSync, lstatSync } from 'node:fs'
import { dirname } from 'node:path'
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

/** Returns false if the file does not exist. */
function makePrivate(path: string): boolean {
  const found = lstatSync(path, { bigint: true, throwIfNoEntry: false })
  if (found === undefined) return false
  if (!found.isFile()) throw sessionStoreInvalid({ path, problem: `it is a ${fileKind(found)}` })
  if ((found.mode & 0o077n) !== 0n) chmodSync(path, PRIVATE)
  return true
}
