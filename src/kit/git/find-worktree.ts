/** Finds the git worktree that a directory is in, for those who must not trust what stands there. Runs no git. */

import { lstatSync, readFileSync, realpathSync, type Stats } from 'node:fs'
import { dirname, join, relative, resolve, sep } from 'node:path'
import { orUndefined } from '../fault.ts'

/** Outside of a repository, the root is the directory itself. */
export type EnclosingWorktree = { root: string; git?: { directory: string; commonDirectory: string } }

type Repository = NonNullable<EnclosingWorktree['git']>

/**
 * An agent may have written a file `.git` that names any directory. It counts only if that directory is one of a linked worktree
 * which names the file in turn. A link does not count, nor the repository of a submodule, nor what another user owns. So that a
 * repository of settings in the home directory does not make all of it a worktree, no root is around `home`.
 */
export function findWorktree(directory: string, home: string): EnclosingWorktree {
  const start = realpathSync.native(directory)
  for (const root of withParents(start)) {
    if (isAround(root, home)) break
    const git = readRepository(root)
    if (git !== undefined) return { root, git }
  }
  return { root: start }
}

/** The directory, and all above it. */
export function withParents(directory: string): string[] {
  const parent = dirname(directory)
  return parent === directory ? [directory] : [directory, ...withParents(parent)]
}

function isAround(root: string, home: string): boolean {
  const way = relative(root, home)
  return way !== '..' && !way.startsWith(`..${sep}`)
}

function readRepository(root: string): Repository | undefined {
  const link = join(root, '.git')
  const found = lookAt(link)
  if (found === undefined || found.uid !== process.getuid?.()) return undefined
  if (found.isDirectory()) return isRepository(link) ? { directory: link, commonDirectory: link } : undefined
  return found.isFile() ? readLinked(link) : undefined
}

function isRepository(path: string): boolean {
  return ['objects', 'refs'].every((name) => lookAt(join(path, name))?.isDirectory()) && isFile(join(path, 'HEAD'))
}

function readLinked(link: string): Repository | undefined {
  const [, named] = /^gitdir: (.+?)[\r\n]*$/s.exec(readText(link) ?? '') ?? []
  if (named === undefined) return undefined
  const directory = resolve(dirname(link), named)
  const [back, common] = ['gitdir', 'commondir'].map((name) => readText(join(directory, name))?.trimEnd())
  if (back === undefined || common === undefined || !isSame(resolve(directory, back), link)) return undefined
  const commonDirectory = resolve(directory, common)
  const isListed = isRepository(commonDirectory) && isSame(dirname(directory), join(commonDirectory, 'worktrees'))
  return isListed
    ? { directory: realpathSync.native(directory), commonDirectory: realpathSync.native(commonDirectory) }
    : undefined
}

function isSame(one: string, other: string): boolean {
  return orUndefined(() => realpathSync.native(one) === realpathSync.native(other)) ?? false
}

function lookAt(path: string): Stats | undefined {
  return lstatSync(path, { throwIfNoEntry: false })
}

function isFile(path: string): boolean {
  return lookAt(path)?.isFile() === true
}

function readText(path: string): string | undefined {
  return isFile(path) ? readFileSync(path, 'utf8') : undefined
}
