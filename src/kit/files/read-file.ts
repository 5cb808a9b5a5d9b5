import { type BigIntStats, constants, statSync } from 'node:fs'
import { errorCode } from '../fault.ts'
import { fileChanged, fileMissing, fileNotRegular, fileTooLarge, fileUnreadable, textNotUtf8 } from '../faults.ts'
import { type Disk, fileKind, isSameFile, type Links, realDisk, systemReason } from './disk.ts'

export type FileToRead = { path: string; limitBytes: number; links?: Links }

/**
 * Reads a whole regular file of at most `limitBytes`. Compares the file before, during and after reading, so that the
 * bytes are those of one unchanged file. Directories above the file may be symbolic links.
 */
export function readFileBytes({ path, limitBytes, links = 'refuse' }: FileToRead, disk: Disk = realDisk): Buffer {
  const stat = links === 'follow' ? disk.statSync : disk.lstatSync
  const statPath = () => stat(path, { bigint: true, throwIfNoEntry: false })
  try {
    const found = statPath()
    if (found === undefined) throw fileMissing({ path })
    if (!found.isFile()) throw fileNotRegular({ path, kind: fileKind(found) })
    const descriptor = openFound({ path, links }, disk)
    try {
      return readWhole({ path, limitBytes, descriptor, found, statPath }, disk)
    } finally {
      disk.closeSync(descriptor)
    }
  } catch (error) {
    throw fileUnreadable({ path, reason: systemReason(error) }, error)
  }
}

/** Reads a file as `readFileBytes` does and decodes it. */
export function readFileText(file: FileToRead, disk: Disk = realDisk): string {
  return decodeUtf8({ bytes: readFileBytes(file, disk), source: file.path })
}

/** Decodes without repairing: no replacement characters, and a byte order mark stays. The fault names `source`. */
export function decodeUtf8({ bytes, source }: { bytes: Uint8Array; source: string }): string {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)
  } catch (error) {
    throw textNotUtf8({ source }, error)
  }
}

/** Opens a path at which a regular file was just found. Node itself adds O_CLOEXEC. */
function openFound({ path, links }: { path: string; links: Links }, disk: Disk): number {
  // Non-blocking, because opening a named pipe that replaced the file would block forever.
  const noFollow = links === 'refuse' ? constants.O_NOFOLLOW : 0
  try {
    return disk.openSync(path, constants.O_RDONLY | noFollow | constants.O_NONBLOCK)
  } catch (error) {
    const gone = ['ENOENT', 'ELOOP', 'ENXIO'].includes(errorCode(error) ?? '')
    throw gone ? fileChanged({ path }, error) : error
  }
}

function readWhole(
  file: FileToRead & { descriptor: number; found: BigIntStats; statPath: () => BigIntStats | undefined },
  disk: Disk,
): Buffer {
  const { path, limitBytes, descriptor, found, statPath } = file
  const opened = disk.fstatSync(descriptor, { bigint: true })
  if (!isUnchanged(found, opened)) throw fileChanged({ path })
  if (opened.size > limitBytes) throw fileTooLarge({ path, sizeBytes: Number(opened.size), limitBytes })
  const bytes = readUpTo({ descriptor, maxBytes: Number(opened.size) + 1 }, disk) // one more, to notice growth
  if (bytes.length !== Number(opened.size) || !isUnchanged(opened, statPath())) throw fileChanged({ path })
  return bytes
}

function readUpTo({ descriptor, maxBytes }: { descriptor: number; maxBytes: number }, disk: Disk): Buffer {
  const bytes = Buffer.alloc(maxBytes)
  let length = 0
  while (length < maxBytes) {
    const count = disk.readSync(descriptor, bytes, length, maxBytes - length, null)
    if (count === 0) break
    length += count
  }
  return bytes.subarray(0, length)
}

/** Whether a file is unchanged. The identity alone does not prove it: inodes of removed files are reused. */
function isUnchanged(before: BigIntStats, now: BigIntStats | undefined): boolean {
  if (now === undefined || !now.isFile() || !isSameFile(before, now)) return false
  // Not ctime: it also changes when a file gets or loses a hard link, and `createFile` uses one.
  return before.size === now.size && before.mtimeNs === now.mtimeNs
}

/** Changes whenever the file does. `gone` if there is none. */
export function fileMark(path: string): string {
  const found = statSync(path, { bigint: true, throwIfNoEntry: false })
  return found === undefined ? 'gone' : [found.ino, found.size, found.mtimeNs].join()
}
