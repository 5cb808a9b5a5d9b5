import { type BigIntStats, realpathSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { errorCode, Fault } from '../fault.ts'
import { fileExists, fileNotRegular, fileWriteFailed } from '../faults.ts'
import { type Disk, type FileIdentity, fileKind, isSameFile, type Links, realDisk, systemReason } from './disk.ts'
import { type Durability, durabilityOf, openDirectory, syncDirectory } from './durability.ts'
import { removeLeftovers, temporaryName } from './temporary-file.ts'

/** The file gets exactly this `mode`, regardless of the umask and of its mode before. */
export type FileToWrite = { path: string; bytes: Uint8Array; mode: number }

/**
 * Replaces the content of a file atomically: at every moment, even after a crash, the path has either the old or the new
 * bytes. With `links: 'follow'` a symbolic link stays, and its target gets the content.
 */
export function replaceFile(file: FileToWrite & { links?: Links }, disk: Disk = realDisk): Durability {
  const target = { ...file, path: findTarget({ path: file.path, links: file.links ?? 'refuse' }, disk) }
  return writeBeside(target, (temporary) => disk.renameSync(temporary, target.path), disk)
}

/** Writes a file that must not exist yet, as atomically and durably as `replaceFile`. */
export function createFile(file: FileToWrite, disk: Disk = realDisk): Durability {
  const moveIntoPlace = (temporary: string) => {
    try {
      disk.linkSync(temporary, file.path) // unlike rename, fails when the name is taken
    } catch (error) {
      throw errorCode(error) === 'EEXIST' ? fileExists({ path: file.path }, error) : error
    }
    discard(temporary, disk)
  }
  return writeBeside(file, moveIntoPlace, disk)
}

/** Creates an empty private file, unless another process has just created it. */
export function ensureEmptyFile(path: string, disk: Disk = realDisk): void {
  try {
    createFile({ path, bytes: new Uint8Array(), mode: 0o600 }, disk)
  } catch (error) {
    const isCreatedByAnother = error instanceof Fault && error.code === fileExists.code
    if (!isCreatedByAnother) throw error
  }
}

/** Writes all of `bytes`, with as many system calls as needed. */
export function writeFully(
  { descriptor, bytes }: { descriptor: number; bytes: Uint8Array },
  disk: Disk = realDisk,
): void {
  let written = 0
  while (written < bytes.length) written += disk.writeSync(descriptor, bytes, written)
}

function writeBeside(file: FileToWrite, moveIntoPlace: (temporary: string) => void, disk: Disk): Durability {
  const folder = dirname(file.path)
  const temporary = join(folder, temporaryName())
  let directory: number | undefined
  let staged: FileIdentity | undefined
  let isMoved = false
  removeLeftovers(folder)
  try {
    // Opened first, so that a directory that cannot be synced fails before anything changes.
    directory = openDirectory({ path: folder, links: 'follow' }, disk)
    staged = stageFile({ ...file, path: temporary }, disk)
    moveIntoPlace(temporary)
    isMoved = true
    return durabilityOf({ directorySynced: syncDirectory(directory, disk) })
  } catch (error) {
    discard(temporary, disk)
    // A network file system may perform an operation and still report an error.
    const mayBeInPlace = isMoved || (staged !== undefined && isSameFile(staged, find(file.path, disk)))
    const commitment = mayBeInPlace ? 'ambiguous' : 'not_committed'
    throw fileWriteFailed({ path: file.path, commitment, reason: systemReason(error) }, error)
  } finally {
    if (directory !== undefined) disk.closeSync(directory)
  }
}

/** Writes and syncs a new file, unreadable for others until it has its mode. Does not sync the directory. */
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

/** The path to rename to: renaming onto a symbolic link would replace the link, not its target. */
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

/** Removes a temporary file if possible; otherwise the next write to the directory removes it. */
function discard(temporary: string, disk: Disk): void {
  try {
    disk.unlinkSync(temporary)
  } catch {
    // Usually it was never created; and this must not hide why the write failed.
  }
}
