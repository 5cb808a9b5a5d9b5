import * as fs from 'node:fs'
import { getSystemErrorMessage } from 'node:util'

/**
 * The operations that reading and writing files are made of; a test passes one that fails, meddles or dies at a step.
 * Synchronous on purpose: a durable write this way takes half the time of the promise API with a tenth of its worst
 * case, and no other code of this process runs between two steps.
 */
export type Disk = Pick<
  typeof fs,
  | 'closeSync'
  | 'fchmodSync'
  | 'fstatSync'
  | 'fsyncSync'
  | 'ftruncateSync'
  | 'linkSync'
  | 'lstatSync'
  | 'mkdirSync'
  | 'openSync'
  | 'renameSync'
  | 'statSync'
  | 'unlinkSync'
> & {
  readSync(descriptor: number, bytes: Uint8Array, offset: number, length: number, position: number | null): number
  writeSync(descriptor: number, bytes: Uint8Array, offset: number): number
}

export const realDisk: Disk = fs

/** For what was only read, or is synced: closing it cannot fail in a way that matters. */
export function closeQuietly(descriptor: number, disk: Disk): void {
  try {
    disk.closeSync(descriptor)
  } catch {
    // Nothing is left to be done about it.
  }
}

/** What to do when the named file is a symbolic link: dotfile managers make links of config files, nobody of a journal. */
export type Links = 'refuse' | 'follow'

type FileKind = 'regular file' | 'directory' | 'symbolic link' | 'named pipe' | 'socket' | 'device'

export function fileKind(stats: fs.StatsBase<bigint>): FileKind {
  if (stats.isFile()) return 'regular file'
  if (stats.isDirectory()) return 'directory'
  if (stats.isSymbolicLink()) return 'symbolic link'
  if (stats.isFIFO()) return 'named pipe'
  return stats.isSocket() ? 'socket' : 'device'
}

/** Device and inode, as bigint: some file systems give inode numbers above 2^53. */
export type FileIdentity = { dev: bigint; ino: bigint }

export function isSameFile(one: FileIdentity, other: FileIdentity | undefined): boolean {
  return one.dev === other?.dev && one.ino === other.ino
}

/** What the system said, in words: `no space left on device (ENOSPC)`. Anything else thrown, a Fault or a bug, goes on up. */
export function systemReason(error: unknown): string {
  if (!(error instanceof Error && 'errno' in error && typeof error.errno === 'number' && 'code' in error)) throw error
  return `${getSystemErrorMessage(error.errno)} (${error.code})`
}
