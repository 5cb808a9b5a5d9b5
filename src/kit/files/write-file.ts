import { type BigIntStats, realpathSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { errorCode } from '../fault.ts'
import { fileExists, fileNotRegular, fileWriteFailed } from '../faults.ts'
import { type Disk, type FileIdentity, fileKind, isSameFile, type Links, realDisk, systemReason } from './disk.ts'
import { type Durability, durabilityOf, openDirectory, syncDirectory } from './durability.ts'
import { removeLeftovers, temporaryName } from './temporary-file.ts'

/** `mode` is what the file ends with, whatever the umask and whatever it had before. */
export type FileToWrite = { path: string; bytes: Uint8Array; mode: number }

/**
 * Gives a file new content, all of it or none: at every moment, also after a crash, the path has the old bytes or the
 * new ones. With `links: 'follow'` a symbolic link stays, and the file it leads to gets the content.
 */
export function replaceFile(file: FileToWrite & { links?: Links }, disk: Disk = realDisk): Durability {
  const target = { ...file, path: findTarget({ path: file.path, links: file.links ?? 'refuse' }, disk) }
  return writeBeside(target, (temporary) => disk.renameSync(temporary, target.path), disk)
}

/** Writes a file that must not exist yet, as whole and as durably as `replaceFile`. */
export function createFile(file: FileToWrite, disk: Disk = realDisk): Durability {
  const place = (temporary: string) => {
    try {
      disk.linkSync(temporary, file.path) // unlike rename, fails when the name is taken
    } catch (error) {
      throw errorCode(error) === 'EEXIST' ? fileExists({ path: file.path }, error) : error
    }
    discard(temporary, disk)
  }
  return writeBeside(file, place, disk)
}

/** Writes all of `bytes`, however many calls the system takes for it. */
export function writeFully(
  { descriptor, bytes }: { descriptor: number; bytes: Uint8Array },
  disk: Disk = realDisk,
): void {
  let written = 0
  while (written < bytes.length) written += disk.writeSync(descriptor, bytes, written)
}

function writeBeside(file: FileToWrite, place: (temporary: string) => void, disk: Disk): Durability {
  const folder = dirname(file.path)
  const temporary = join(folder, temporaryName())
  let directory: number | undefined
  let staged: FileIdentity | undefined
  let placed = false
  removeLeftovers(folder)
  try {
    // First, so that a directory that cannot even be opened for syncing fails before anything has changed.
    directory = openDirectory({ path: folder, links: 'follow' }, disk)
    staged = stageFile({ ...file, path: temporary }, disk)
    place(temporary)
    placed = true
    return durabilityOf({ directorySynced: syncDirectory(directory, disk) })
  } catch (error) {
    discard(temporary, disk)
    // A network file system may do what it is asked and yet report an error.
    const mayBeInPlace = placed || (staged !== undefined && isSameFile(staged, find(file.path, disk)))
    const commitment = mayBeInPlace ? 'ambiguous' : 'not_committed'
    throw fileWriteFailed({ path: file.path, commitment, reason: systemReason(error) }, error)
  } finally {
    if (directory !== undefined) disk.closeSync(directory)
  }
}

/** Writes and syncs a new file that nobody else can read until it has its mode. Its name is not durable by that. */
export function stageFile({ path, bytes, mode }: FileToWrite, disk: Disk): FileIdentity {
  const descriptor = disk.openSync(path, 'wx', 0o600)
  try {
    writeFully({ descriptor, bytes }, disk)
    disk.fchmodSync(descriptor, mode)
    disk.fsyncSync(descriptor)
    return disk.fstatSync(descriptor, { bigint: true })
  } finally {
    disk.closeSync(descriptor)
  }
}

/** The path to rename to: renaming onto a symbolic link would replace the link, not the file it leads to. */
function findTarget({ path, links }: { path: string; links: Links }, disk: Disk): string {
  try {
    const found = find(path, disk)
    if (found === undefined || found.isFile()) return path
    if (!found.isSymbolicLink() || links === 'refuse') throw fileNotRegular({ path, kind: fileKind(found) })
    return findTarget({ path: realpathSync(path), links: 'refuse' }, disk)
  } catch (error) {
    throw fileWriteFailed({ path, commitment: 'not_committed', reason: systemReason(error) }, error)
  }
}

function find(path: string, disk: Disk): BigIntStats | undefined {
  return disk.lstatSync(path, { bigint: true, throwIfNoEntry: false })
}

/** Removes a temporary file if it can; what stays goes with the next write to the directory. */
function discard(temporary: string, disk: Disk): void {
  try {
    disk.unlinkSync(temporary)
  } catch {
    // Most often it was never made; and its removal must not hide why the write failed.
  }
}
