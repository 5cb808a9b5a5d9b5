import type { BigIntStats } from 'node:fs'
import { Fault } from '../fault.ts'
import { fileExists, lockFileInvalid, lockUnavailable } from '../faults.ts'
import { type Disk, fileKind, realDisk, systemReason } from './disk.ts'
import { createFile } from './write-file.ts'

/**
 * The lock file at a path, or undefined if there is none. Refuses what is not an empty regular file. Looks by `lstat`
 * alone: opening and closing a lock file would drop the locks that this process has on it.
 */
export function findLockFile(path: string): BigIntStats | undefined {
  const found = look(path, realDisk)
  if (found === undefined) return undefined
  if (!found.isFile()) throw lockFileInvalid({ path, problem: `it is a ${fileKind(found)}` })
  if (found.size !== 0n) throw lockFileInvalid({ path, problem: 'it is not empty' })
  return found
}

/** Makes a lock file unless there is one. SQLite would make one with a mode after the umask. */
export function ensureLockFile(path: string, disk: Disk = realDisk): void {
  if (look(path, disk) !== undefined) return
  try {
    createFile({ path, bytes: new Uint8Array(), mode: 0o600 }, disk)
  } catch (error) {
    const madeByAnother = error instanceof Fault && error.code === fileExists.code
    if (!madeByAnother) throw error
  }
}

function look(path: string, disk: Disk): BigIntStats | undefined {
  try {
    return disk.lstatSync(path, { bigint: true, throwIfNoEntry: false })
  } catch (error) {
    throw lockUnavailable({ path, reason: systemReason(error) }, error)
  }
}
