import { type BigIntStats, realpathSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { errorCode, type Fault, isFault } from '../fault.ts'
import { fileExists, fileNotRegular, fileWriteFailed } from '../faults.ts'
import {
  type Disk,
  type Durability,
  type FileIdentity,
  fileKind,
  isSameFile,
  type Links,
  openDirectory,
  realDisk,
  removeQuietly,
  syncDirectory,
  systemReason,
  toDurability,
} from './disk.ts'
import { removeLeftovers, temporaryName } from './temporary-file.ts'

/** The file gets exactly this `mode`, regardless of the umask and of its mode before. */
export type FileToWrite = { path: string; bytes: Uint8Array; mode: number }

/**
 * Replaces the content of a file atomically: at every moment, even after a crash, the path has either the old or the new
 * bytes. With `links: 'follow'` a symbolic link stays, and its target gets the content.
 */
export function replaceFile(file: FileToWrite & { links?: Links }, disk: Disk = realDisk): Durability {
  const target = { ...file, path: findTarget({ path: file.path, links: file.links ?? 'refuse' }, disk) }
  return writeBeside(target, { stage: stageFile, moveIntoPlace: disk.renameSync }, disk)
}

/** Writes a file that must not exist yet, as atomically and durably as `replaceFile`. */
export function createFile(file: FileToWrite, disk: Disk = realDisk): Durability {
  return writeBeside(file, { stage: stageFile, moveIntoPlace: linkNew(disk) }, disk)
}

/**
 * Writes a file whose content comes in pieces, as atomically and durably as the two above. With `mayExist` it replaces a
 * file, otherwise it creates one. If `pieces` throws, nothing is written, and its error is thrown.
 */
export async function writeFileInPieces(
  file: { path: string; mode: number; mayExist: boolean },
  pieces: AsyncIterable<Uint8Array>,
  disk: Disk = realDisk,
): Promise<Durability> {
  const path = file.mayExist ? findTarget({ path: file.path, links: 'refuse' }, disk) : file.path
  const temporary = join(dirname(path), temporaryName())
  const failed = (error: unknown) =>
    fileWriteFailed({ path, commitment: 'not_committed', reason: systemReason(error) }, error)
  let isStaged = false
  try {
    const descriptor = attempt(() => disk.openSync(temporary, 'wx', 0o600), failed)
    try {
      for await (const bytes of pieces) attempt(() => writeFully({ descriptor, bytes }, disk), failed)
    } finally {
      disk.closeSync(descriptor)
    }
    isStaged = true
  } finally {
    if (!isStaged) removeQuietly(temporary, disk)
  }
  return placeFile({ ...file, path, temporary }, disk)
}

/** Moves a complete file of the same file system to its path, as atomically and durably as the functions above. */
export function placeFile(
  { path, temporary, mode, mayExist }: { path: string; temporary: string; mode: number; mayExist: boolean },
  disk: Disk = realDisk,
): Durability {
  const stage = () => finishFile({ path: temporary, mode }, disk)
  return writeBeside({ path, temporary }, { stage, moveIntoPlace: mayExist ? disk.renameSync : linkNew(disk) }, disk)
}

function attempt<T>(work: () => T, toFault: (error: unknown) => Fault): T {
  try {
    return work()
  } catch (error) {
    throw toFault(error)
  }
}

/** Moves a file to a name that is not taken. */
function linkNew(disk: Disk): (temporary: string, path: string) => void {
  return (temporary, path) => {
    try {
      disk.linkSync(temporary, path) // unlike rename, fails when the name is taken
    } catch (error) {
      if (errorCode(error) === 'EEXIST') throw fileExists({ path }, error)
      throw NO_LINKS.has(errorCode(error) ?? '') ? withoutLinks(path, error) : error
    }
    removeQuietly(temporary, disk)
  }
}

/** What file systems without hard links answer, such as exFAT. */
const NO_LINKS = new Set(['EPERM', 'ENOSYS', 'ENOTSUP', 'EOPNOTSUPP'])

function withoutLinks(path: string, error: unknown): Fault {
  const reason = `${systemReason(error)}, probably because the file system has no hard links, which drover needs there`
  return fileWriteFailed({ path, commitment: 'not_committed', reason }, error)
}

/** Creates an empty private file, unless another process has just created it. */
export function ensureEmptyFile(path: string, disk: Disk = realDisk): void {
  try {
    createFile({ path, bytes: new Uint8Array(), mode: 0o600 }, disk)
  } catch (error) {
    const isCreatedByAnother = isFault(error, fileExists)
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

type Placement<File> = {
  /** Makes sure that the temporary file is complete and durable. */
  stage: (file: File & { path: string }, disk: Disk) => FileIdentity
  moveIntoPlace: (temporary: string, path: string) => void
}

function writeBeside<File extends { path: string; temporary?: string }>(
  file: File,
  { stage, moveIntoPlace }: Placement<File>,
  disk: Disk,
): Durability {
  const folder = dirname(file.path)
  const temporary = file.temporary ?? join(folder, temporaryName())
  let directory: number | undefined
  let staged: FileIdentity | undefined
  let isMoved = false
  removeLeftovers(folder)
  try {
    // Opened first, so that a directory that cannot be synced fails before anything changes.
    directory = openDirectory({ path: folder, links: 'follow' }, disk)
    staged = stage({ ...file, path: temporary }, disk)
    moveIntoPlace(temporary, file.path)
    isMoved = true
    return toDurability({ directorySynced: syncDirectory(directory, disk) })
  } catch (error) {
    removeQuietly(temporary, disk)
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

/** Gives a complete file its mode and syncs it. */
function finishFile({ path, mode }: { path: string; mode: number }, disk: Disk): FileIdentity {
  const descriptor = disk.openSync(path, 'r+')
  try {
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

const PROBE = Buffer.from('drover tests the durability of files here\n')

/**
 * Finds out how durable a file in a directory would be: writes one, syncs both and removes it again. Throws
 * `file_write_failed` if nothing can be written.
 */
export function probeDurability(directory: string, disk: Disk = realDisk): Durability {
  // If drover is killed here, the next write to the directory recognizes the name and removes the file.
  const path = join(directory, temporaryName())
  let opened: number | undefined
  try {
    opened = openDirectory({ path: directory, links: 'follow' }, disk)
    stageFile({ path, bytes: PROBE, mode: 0o600 }, disk)
    const directorySynced = syncDirectory(opened, disk)
    disk.unlinkSync(path)
    if (directorySynced) disk.fsyncSync(opened)
    return toDurability({ directorySynced })
  } catch (error) {
    removeQuietly(path, disk)
    throw fileWriteFailed({ path: directory, commitment: 'not_committed', reason: systemReason(error) }, error)
  } finally {
    if (opened !== undefined) disk.closeSync(opened)
  }
}
