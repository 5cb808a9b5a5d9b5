/**
 * Finds the settings and instructions for agents that git does not show, because it ignores them or because they are in a
 * separate repository: an agent reads them all the same. Installed packages are left out, since they bring their own files
 * with such names, and no agent starts there.
 */
import type { Dirent } from 'node:fs'
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import type { PathObservation } from '../contract/git-observation.shape.ts'
import { isAgentConfiguration } from '../kit/agent-configuration.ts'
import { errorCode } from '../kit/fault.ts'
import { askGitForOutput, type Git } from './git.ts'
import { createPathReader, observePath } from './observe-path.ts'
import { ContentBudget } from './read-content.ts'

/** As much of an observation as shows a change. */
export type ObservedConfiguration = Pick<PathObservation, 'path' | 'observation'> &
  Partial<Pick<PathObservation, 'content_sha256' | 'size' | 'modified_unix_nano'>>

export type UnseenConfiguration = {
  readonly paths: readonly ObservedConfiguration[]
  /** Whether there was too much to look at all of it. */
  readonly isCut: boolean
}

type Place = { root: string; git: Git; signal: AbortSignal }

export async function findUnseenConfiguration({ root, git, signal }: Place): Promise<UnseenConfiguration> {
  const { found, isCut } = await findNamed(root, isAgentConfiguration)
  if (found.length === 0) return { paths: [], isCut }
  const args = ['--literal-pathspecs', 'ls-files', '-z', '--cached', '--others', '--exclude-standard', '--'] as const
  const shown = await askGitForOutput(git, { directory: root, signal, args: [...args, ...found] })
  const seen = new Set(shown.toString('utf8').split('\0'))
  const reader = createPathReader({ root, budget: new ContentBudget() })
  const unseen = found.filter((path) => !seen.has(path)).sort()
  return { paths: unseen.map((path) => observePath(toPath(path), reader)), isCut }
}

function toPath(path: string) {
  return { path, bytes: Buffer.from(path).toString('latin1'), category: 'ignored', state: '!' } as const
}

/** A record has room for these, and more are not written by hand. */
const MAX_FOUND = 500
const MAX_ENTRIES = 500_000

type Search = { root: string; isWanted: (path: string) => boolean; found: string[]; entries: number }

/**
 * Finds the settings of agents in a worktree by their names, whatever git knows about them. Installed packages are left out,
 * since they bring their own files with such names, and no agent starts there. Paths of files and links, in no order.
 * `isCut`: there was too much to look at all of it.
 */
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
