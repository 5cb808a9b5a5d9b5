/**
 * Finds the repositories below directories that a command may write. Git outside runs programs that their settings and hooks name, so
 * they must stay as they are. Runs no git.
 */
import { type Dirent, lstatSync, readdirSync, realpathSync, statSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { errorCode, orUndefined } from '../kit/fault.ts'
import { readFileText } from '../kit/files/read-file.ts'
import { withParents } from '../kit/git/find-worktree.ts'
import { isWithin } from './sandbox-policy.ts'

export type InnerRepositories = {
  /** What git reads, without links. A command must not write there. */
  fixed: readonly string[]
  /** The directories around it, outer ones first. A command that moved one away could put others in its place. */
  pinned: readonly string[]
  /** Why there may be others; undefined if all were found. */
  gap?: string | undefined
}

/** About 100 ms of work. A project without its packages has a few thousand. */
const MAX_ENTRIES = 100_000
/** Each costs a few mounts. */
const MAX_REPOSITORIES = 200
/** Packages of others, in large numbers. If one of these is a repository itself, it counts. */
const NOT_SEARCHED = new Set(['node_modules', '.venv', 'venv', '__pycache__', '.tox', '.pnpm-store'])
/** Of a repository; each may be a link to another place. */
const SETTINGS = ['config', 'hooks', 'info', 'config.worktree']
/** Git reads no larger file `.git`. */
const LIMIT_BYTES = 1024 * 1024

type Limits = { maxEntries?: number; maxRepositories?: number }

/** Outer directories first, so that a limit leaves out what is deepest. */
export function findInnerRepositories(given: readonly string[], limits: Limits = {}): InnerRepositories {
  const roots = [...new Set(given)].filter((root) => !given.some((each) => each !== root && isWithin(root, [each])))
  const search = new Search(roots, limits)
  const waiting = [...roots]
  for (const directory of waiting) {
    waiting.push(...search.look(directory))
    if (search.isOver) break
  }
  const { found, gap } = search
  const fixed = [...found].filter((path) => !withParents(dirname(path)).some((each) => found.has(each)))
  return { fixed, pinned: pin(fixed, roots), gap }
}

class Search {
  readonly found = new Set<string>()
  gap: string | undefined
  isOver = false
  readonly #roots: readonly string[]
  readonly #limits: Required<Limits>
  #entries = 0
  #repositories = 0

  constructor(roots: readonly string[], limits: Limits) {
    this.#roots = roots
    this.#limits = { maxEntries: MAX_ENTRIES, maxRepositories: MAX_REPOSITORIES, ...limits }
  }

  /** Returns where to look next. */
  look(directory: string): string[] {
    const entries = list(directory)
    if (entries === 'unreadable') this.gap ??= `${directory} cannot be read`
    if (typeof entries === 'string') return []
    this.#note(readRepository(directory, entries), directory)
    this.#count(entries.length)
    return this.found.has(directory) ? [] : innerDirectories(directory, entries)
  }

  #note(repository: ReturnType<typeof readRepository>, directory: string): void {
    if (repository === undefined) return
    if (repository === 'link') {
      this.gap ??= `${join(directory, '.git')} is a link, and could be replaced`
      return
    }
    this.#repositories += 1
    for (const path of repository.flatMap(withLinked)) if (isWithin(path, this.#roots)) this.found.add(path)
  }

  #count(entries: number): void {
    const { maxEntries, maxRepositories } = this.#limits
    this.#entries += entries
    if (this.#repositories > maxRepositories) this.gap = `there are more than ${maxRepositories} repositories`
    else if (this.#entries > maxEntries) this.gap = `there are more than ${maxEntries} files and directories`
    else return
    this.isOver = true
  }
}

/** Between a root, which cannot be moved, and what is fixed. */
function pin(fixed: readonly string[], roots: readonly string[]): string[] {
  const around = (path: string): string[] => {
    const parent = dirname(path)
    return roots.includes(path) || roots.includes(parent) ? [] : [...around(parent), parent]
  }
  return [...new Set(fixed.flatMap(around))].sort((a, b) => a.length - b.length)
}

type Listed = readonly Dirent[] | 'unreadable' | 'closed'

function list(directory: string): Listed {
  try {
    return readdirSync(directory, { withFileTypes: true })
  } catch (error) {
    if (['ENOENT', 'ENOTDIR'].includes(errorCode(error) ?? '')) return 'closed'
    // A command runs as the same user. It can open what belongs to that user, and nothing else.
    return lookAt(directory)?.uid === process.getuid?.() ? 'unreadable' : 'closed'
  }
}

/** Links lead to what is found by itself, or is not there inside. */
function innerDirectories(directory: string, entries: readonly Dirent[]): string[] {
  return entries.flatMap((entry) => {
    if (!entry.isDirectory() || entry.name === '.git') return []
    const path = join(directory, entry.name)
    return NOT_SEARCHED.has(entry.name) && lookAt(join(path, '.git')) === undefined ? [] : [path]
  })
}

/** What git reads of the repository in a directory; undefined if there is none. */
function readRepository(directory: string, entries: readonly Dirent[]): string[] | 'link' | undefined {
  const git = entries.find(({ name }) => name === '.git')
  if (git?.isSymbolicLink()) return 'link'
  const path = join(directory, '.git')
  if (git?.isDirectory()) return [path]
  if (git?.isFile()) return [path, ...namedBy(path)]
  return isBare(directory, entries) ? [directory] : undefined
}

function isBare(directory: string, entries: readonly Dirent[]): boolean {
  const names = entries.map(({ name }) => name)
  if (!['HEAD', 'objects', 'refs'].every((name) => names.includes(name))) return false
  return /^(?:ref:\s*refs\/|[0-9a-f]{40})/.test(readText(join(directory, 'HEAD')) ?? '')
}

/** The repository that a file `.git` names, and the one that it shares. */
function namedBy(link: string): string[] {
  const [, named] = /^gitdir: (.+?)[\r\n]*$/s.exec(readText(link) ?? '') ?? []
  if (named === undefined) return []
  const repository = realDirectory(resolve(dirname(link), named))
  if (repository === undefined || lookAt(join(repository, 'HEAD')) === undefined) return []
  const shared = readText(join(repository, 'commondir'))?.trimEnd()
  const common = shared === undefined ? undefined : realDirectory(resolve(repository, shared))
  return [repository, ...(common === undefined ? [] : [common])]
}

/** With the targets of links in it. */
function withLinked(path: string): string[] {
  const links = SETTINGS.map((name) => join(path, name)).filter((each) => lookAt(each)?.isSymbolicLink())
  return [path, ...links.flatMap((link) => orUndefined(() => realpathSync.native(link)) ?? [])]
}

function realDirectory(path: string): string | undefined {
  return orUndefined(() => (statSync(path).isDirectory() ? realpathSync.native(path) : undefined))
}

function lookAt(path: string) {
  return orUndefined(() => lstatSync(path, { throwIfNoEntry: false }))
}

function readText(path: string): string | undefined {
  return orUndefined(() => readFileText({ path, limitBytes: LIMIT_BYTES }))
}
