import { constants } from 'node:fs'
import { errorCode } from '../fault.ts'
import { type Disk, type Links, realDisk } from './disk.ts'

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
  const noFollow = links === 'refuse' ? constants.O_NOFOLLOW : 0
  return disk.openSync(path, constants.O_RDONLY | noFollow | constants.O_DIRECTORY)
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
