import { constants } from 'node:fs'
import { errorCode } from '../fault.ts'
import { type Disk, type Links, realDisk } from './disk.ts'

/** How safe a written file is from a power failure. */
export type Durability =
  | { level: 'file_and_directory_fsync'; file_sync: true; directory_sync: true }
  | { level: 'file_fsync_only'; file_sync: true; directory_sync: false; limitation: 'directory_fsync_unsupported' }

/** The durability of a file whose own bytes are synced, by whether its directory could be too. */
export function durabilityOf({ directorySynced }: { directorySynced: boolean }): Durability {
  return directorySynced
    ? { level: 'file_and_directory_fsync', file_sync: true, directory_sync: true }
    : {
        level: 'file_fsync_only',
        file_sync: true,
        directory_sync: false,
        limitation: 'directory_fsync_unsupported',
      }
}

/** Opens a directory to sync it or to look at what it is. */
export function openDirectory({ path, links }: { path: string; links: Links }, disk: Disk = realDisk): number {
  const noFollow = links === 'refuse' ? (constants.O_NOFOLLOW ?? 0) : 0
  return disk.openSync(path, constants.O_RDONLY | noFollow | (constants.O_DIRECTORY ?? 0))
}

/** Makes the names in an open directory durable; false where the platform or file system cannot, other failures are thrown. */
export function syncDirectory(descriptor: number, disk: Disk = realDisk): boolean {
  try {
    disk.fsyncSync(descriptor)
    return true
  } catch (error) {
    if (isSyncUnsupported({ code: errorCode(error) ?? '', platform: process.platform })) return false
    throw error
  }
}

/** The same for a directory that is not open. */
export function syncDirectoryAt(path: string, disk: Disk = realDisk): boolean {
  const descriptor = openDirectory({ path, links: 'follow' }, disk)
  try {
    return syncDirectory(descriptor, disk)
  } finally {
    disk.closeSync(descriptor)
  }
}

/** Whether failing to sync a directory means that this cannot be done here, rather than that it went wrong. */
export function isSyncUnsupported({ code, platform }: { code: string; platform: NodeJS.Platform }): boolean {
  // fsync(2): EINVAL is "does not support synchronization", as some network and FUSE file systems answer.
  const everywhere = ['EINVAL', 'ENOSYS', 'ENOTSUP', 'EOPNOTSUPP']
  const onWindows = ['EACCES', 'EISDIR', 'EPERM']
  return everywhere.includes(code) || (platform === 'win32' && onWindows.includes(code))
}
