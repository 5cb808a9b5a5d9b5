/**
 * Finds the settings of agents in a worktree by their names, whatever git knows about them. Installed packages are left out, since
 * they bring their own files with such names, and no agent starts there.
 */
import type { Dirent } from 'node:fs'
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { errorCode } from '../kit/fault.ts'

/** A record has room for these, and more are not written by hand. */
const MAX_FOUND = 500
const MAX_ENTRIES = 500_000

type Search = { root: string; isWanted: (path: string) => boolean; found: string[]; entries: number }

/** Paths of files and links, in no order. `isCut`: there was too much to look at all of it. */
export async function findNamed(
  root: string,
  isWanted: (path: string) => boolean,
): Promise<{ found: string[]; isCut: boolean }> {
  const search: Search = { root, isWanted, found: [], entries: 0 }
  await searchFolder(search, '')
  return { found: search.found.slice(0, MAX_FOUND), isCut: isTooMuch(search) }
}

function isTooMuch({ found, entries }: Search): boolean {
  return found.length > MAX_FOUND || entries > MAX_ENTRIES
}

async function searchFolder(search: Search, folder: string): Promise<void> {
  for (const entry of await readEntries(join(search.root, folder))) {
    search.entries += 1
    if (isTooMuch(search)) return
    const path = folder === '' ? entry.name : `${folder}/${entry.name}`
    if (!entry.isDirectory()) {
      if (search.isWanted(path)) search.found.push(path)
    } else if (!/^(?:\.git|node_modules)$/i.test(entry.name)) await searchFolder(search, path)
  }
}

/** A folder that cannot be read is one that no agent reads. */
async function readEntries(folder: string): Promise<Dirent[]> {
  try {
    return await readdir(folder, { withFileTypes: true })
  } catch (error) {
    if (errorCode(error) === undefined) throw error
    return []
  }
}
