import { join } from 'node:path'
import { fileWriteFailed } from '../faults.ts'
import { type Disk, realDisk, removeQuietly, systemReason } from './disk.ts'
import { type Durability, openDirectory, syncDirectory, toDurability } from './durability.ts'
import { temporaryName } from './temporary-file.ts'
import { stageFile } from './write-file.ts'

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
