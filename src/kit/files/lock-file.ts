import type { BigIntStats } from 'node:fs'
import { lockFileInvalid, lockUnavailable } from '../faults.ts'
import { type Disk, fileKind, realDisk, systemReason } from './disk.ts'
import { ensureEmptyFile } from './write-file.ts'

/**
 * The lock file at a path, or undefined if there is none. Refuses anything but an empty regular file. Uses only `lstat`,
 * because opening and closing a lock file would drop the locks that this process holds on it.
 */
export function findLockFile(path: string): BigIntStats | undefined {
  const found = stat(path, realDisk)
  if (found === undefined) return undefined
  if (!found.isFile()) throw lockFileInvalid({ path, problem: `it is a ${fileKind(found)}` })
  if (found.size !== 0n) throw lockFileInvalid({ path, problem: 'it is not empty' })
  return found
}

/** Creates a lock file unless it exists. SQLite would create it with a mode that depends on the umask. */
export function ensureLockFile(path: string, disk: Disk = realDisk): void {
  if (stat(path, disk) === undefined) ensureEmptyFile(path, disk)
}

function stat(path: string, disk: Disk): BigIntStats | undefined {
  try {
    return disk.lstatSync(path, { bigint: true, throwIfNoEntry: false })
  } catch (error) {
    throw lockUnavailable({ path, reason: systemReason(error) }, error)
  }
}
