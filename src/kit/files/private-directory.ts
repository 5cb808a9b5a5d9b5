import { dirname } from 'node:path'
import { errorCode } from '../fault.ts'
import { directoryUnusable } from '../faults.ts'
import { type Disk, fileKind, type Links, openDirectory, realDisk, syncDirectoryAt, systemReason } from './disk.ts'

/**
 * Makes sure that a directory exists and only this user has access. Missing parents are created the same way; existing
 * parents are not changed.
 */
export function ensurePrivateDirectory(options: { path: string; links?: Links }, disk: Disk = realDisk): void {
  const { path, links = 'refuse' } = options
  try {
    makeDirectories(path, disk)
    const found = (links === 'follow' ? disk.statSync : disk.lstatSync)(path, { bigint: true })
    if (!found.isDirectory()) throw directoryUnusable({ path, problem: `it is a ${fileKind(found)}`, isOccupied: true })
    const user = process.getuid?.()
    if (user !== undefined) makePrivate({ path, links, user }, disk)
  } catch (error) {
    throw directoryUnusable({ path, problem: systemReason(error), isOccupied: false }, error)
  }
}

function makeDirectories(path: string, disk: Disk): void {
  if (disk.lstatSync(path, { throwIfNoEntry: false }) !== undefined) return
  makeDirectories(dirname(path), disk)
  try {
    disk.mkdirSync(path, { mode: 0o700 })
  } catch (error) {
    if (errorCode(error) !== 'EEXIST') throw error // another process may have created it
  }
  syncDirectoryAt(path, disk)
  syncDirectoryAt(dirname(path), disk)
}

/** Of directories such as /tmp, which must stay open to all users. */
const STICKY = 0o1000

/** Works on the open directory, so that it changes the same directory that it checked. */
function makePrivate({ path, links, user }: { path: string; links: Links; user: number }, disk: Disk): void {
  const descriptor = openDirectory({ path, links }, disk)
  try {
    const { uid, mode } = disk.fstatSync(descriptor)
    if (uid !== user) {
      throw directoryUnusable({ path, problem: `it belongs to another user (uid ${uid})`, isOccupied: true })
    }
    if ((mode & STICKY) !== 0) {
      throw directoryUnusable({ path, problem: 'all users share it; use a directory of your own', isOccupied: true })
    }
    if ((mode & 0o077) !== 0) disk.fchmodSync(descriptor, 0o700)
  } finally {
    disk.closeSync(descriptor)
  }
}
