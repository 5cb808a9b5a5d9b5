/** Removes directories that may have very many files, in a process that has other work to do meanwhile. */
import { lstatSync, readdirSync, rmdirSync, unlinkSync } from 'node:fs'
import { join } from 'node:path'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { errorCode } from '../fault.ts'

/** Between two pauses. On a slow disk, a single file can take a millisecond. */
const ENTRIES_AT_ONCE = 32

/** Does nothing if there is nothing. Never follows a link. */
export async function removeTree(path: string): Promise<void> {
  const isFolder = lstatSync(path, { throwIfNoEntry: false })?.isDirectory() === true
  await removeEntry(path, isFolder, { entries: 0 })
}

async function removeEntry(path: string, isFolder: boolean, removed: { entries: number }): Promise<void> {
  removed.entries += 1
  if (removed.entries % ENTRIES_AT_ONCE === 0) await nextTurn()
  try {
    if (!isFolder) return unlinkSync(path)
    for (const entry of readdirSync(path, { withFileTypes: true })) {
      await removeEntry(join(path, entry.name), entry.isDirectory(), removed)
    }
    rmdirSync(path)
  } catch (error) {
    // Another process may be removing the same.
    if (errorCode(error) !== 'ENOENT') throw error
  }
}
