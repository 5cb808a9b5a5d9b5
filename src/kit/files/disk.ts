import * as fs from 'node:fs'
// Not by its name, which an old Node does not have: the library could not say then that it needs a newer one.
import util from 'node:util'
import { errorCode, orUndefined } from '../fault.ts'

/**
 * The file system calls that drover's file functions use. Tests pass a disk that fails, interferes or exits at a step.
 * Synchronous on purpose: a durable write takes half the time it takes with promises, its worst case a tenth, and no
 * other code of this process runs between two steps.
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

/** Closes a file that was only read or is already synced, so that a failure does not matter. */
export function closeQuietly(descriptor: number, disk: Disk): void {
  orUndefined(() => disk.closeSync(descriptor))
}

/** Removes a file that may not be there, or that the next write to the directory removes. */
export function removeQuietly(path: string, disk: Disk): void {
  orUndefined(() => disk.unlinkSync(path))
}

/** What to do with a symbolic link: dotfile managers link config files, but a linked journal is suspicious. */
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

/** Describes a system error: `no space left on device (ENOSPC)`. Rethrows any other error, such as a Fault. */
export function systemReason(error: unknown): string {
  if (!(error instanceof Error && 'errno' in error && typeof error.errno === 'number' && 'code' in error)) throw error
  return `${util.getSystemErrorMessage(error.errno)} (${error.code})`
}

/** Whether the group or other users have any access. */
export function isOpenToOthers({ mode }: { mode: bigint }): boolean {
  return (mode & 0o077n) !== 0n
}

/** How well a written file survives a power failure. */
export type Durability =
  | { level: 'file_and_directory_fsync'; file_sync: true; directory_sync: true }
  | { level: 'file_fsync_only'; file_sync: true; directory_sync: false; limitation: 'directory_fsync_unsupported' }

/** The durability of a synced file, depending on whether its directory could be synced too. */
export function toDurability({ directorySynced }: { directorySynced: boolean }): Durability {
  return directorySynced
    ? { level: 'file_and_directory_fsync', file_sync: true, directory_sync: true }
    : {
        level: 'file_fsync_only',
        file_sync: true,
        directory_sync: false,
        limitation: 'directory_fsync_unsupported',
      }
}

/** Opens a directory to sync or inspect it. */
export function openDirectory({ path, links }: { path: string; links: Links }, disk: Disk = realDisk): number {
  const noFollow = links === 'refuse' ? fs.constants.O_NOFOLLOW : 0
  return disk.openSync(path, fs.constants.O_RDONLY | noFollow | fs.constants.O_DIRECTORY)
}

/** Syncs an open directory. Returns false if the platform or file system does not support it; throws other errors. */
export function syncDirectory(descriptor: number, disk: Disk = realDisk): boolean {
  try {
    disk.fsyncSync(descriptor)
    return true
  } catch (error) {
    if (isSyncUnsupported(errorCode(error) ?? '')) return false
    throw error
  }
}

/** Opens, syncs and closes a directory. */
export function syncDirectoryAt(path: string, disk: Disk = realDisk): boolean {
  const descriptor = openDirectory({ path, links: 'follow' }, disk)
  try {
    return syncDirectory(descriptor, disk)
  } finally {
    disk.closeSync(descriptor)
  }
}

/** Whether an error of a directory sync means that it is not supported, rather than that it failed. */
export function isSyncUnsupported(code: string): boolean {
  // fsync(2): EINVAL means "does not support synchronization". Some network and FUSE file systems return it.
  return ['EINVAL', 'ENOSYS', 'ENOTSUP', 'EOPNOTSUPP'].includes(code)
}
