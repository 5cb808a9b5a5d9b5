/** A copy of a folder for a command inside, and what of it is taken back. Only plain files count, and no link is followed. */
import {
  chmodSync,
  closeSync,
  constants,
  copyFileSync,
  fstatSync,
  lstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  renameSync,
  rmSync,
} from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { errorCode, orUndefined } from '../kit/fault.ts'

const { O_RDONLY, O_DIRECTORY, O_NOFOLLOW, O_NONBLOCK } = constants
/** A hostile command can create any number of files, at any depth. */
const MAX_FILES = 100_000
const MAX_DEPTH = 20
const MODE = 0o644

type Sides = { readonly real: string; readonly staged: string }
type Side = keyof Sides
type Which = (path: string) => boolean

export class StagedFolder {
  readonly #sides: Sides
  readonly #brings: Which
  readonly #takes: Which
  /** For each file that is the same on both sides: its state there. */
  readonly #known = new Map<string, Record<Side, string>>()

  /** `brings` and `takes` say which paths are copied in and taken back. */
  constructor(sides: Sides, { brings = () => true, takes }: { brings?: Which; takes: Which }) {
    this.#sides = sides
    this.#brings = brings
    this.#takes = takes
    mkdirSync(sides.staged, { recursive: true })
    this.bringIn()
  }

  /** Copies what has changed outside. */
  bringIn(): void {
    this.#carry('real', 'staged', this.#brings)
  }

  /** Takes back what the command has changed, unless it has also changed outside. */
  takeBack(): void {
    const { real } = this.#sides
    this.#carry('staged', 'real', (path) => this.#takes(path) && stampAt(real, path) === this.#known.get(path)?.real)
  }

  #carry(from: Side, to: Side, isWanted: Which): void {
    const found = listFiles(this.#sides[from])
    for (const [path, stamp] of found) {
      if (this.#known.get(path)?.[from] === stamp || !isWanted(path)) continue
      if (!copyPlain(path, { from: this.#sides[from], to: this.#sides[to] })) continue
      this.#known.set(path, { [from]: stamp, [to]: stampAt(this.#sides[to], path) ?? '' } as Record<Side, string>)
    }
    for (const path of [...this.#known.keys()].filter((known) => !found.has(known) && isWanted(known))) {
      within({ root: this.#sides[to], path }, (entry) => rmSync(entry, { recursive: true, force: true }))
      this.#known.delete(path)
    }
  }
}

type Place = { root: string; path: string; creates?: boolean }

/** Calls `use` with a path to the entry that cannot lead out: each directory on the way is open, and none is a link. */
function within<T>({ root, path, creates = false }: Place, use: (entry: string) => T): T | undefined {
  let parent = openFolder(root)
  for (const part of dirname(path) === '.' ? [] : dirname(path).split('/')) {
    if (parent === undefined) return undefined
    const place = join(`/proc/self/fd/${parent}`, part)
    if (creates) makeDirectory(place)
    const next = openFolder(place)
    closeSync(parent)
    parent = next
  }
  if (parent === undefined) return undefined
  try {
    return use(join(`/proc/self/fd/${parent}`, basename(path)))
  } finally {
    closeSync(parent)
  }
}

function makeDirectory(place: string): void {
  try {
    mkdirSync(place)
  } catch (error) {
    if (errorCode(error) !== 'EEXIST') throw error
  }
}

/** Undefined if there is no plain file. */
function stampAt(root: string, path: string): string | undefined {
  return within({ root, path }, stampOf)
}

function stampOf(entry: string): string | undefined {
  const found = lstatSync(entry, { bigint: true, throwIfNoEntry: false })
  return found?.isFile() ? `${found.ino} ${found.size} ${found.mtimeNs} ${found.ctimeNs}` : undefined
}

/** The plain files in a folder, with their states. */
function listFiles(root: string): Map<string, string> {
  const files = new Map<string, string>()
  visit(root, { path: '', depth: 0, files })
  return files
}

type Visit = { path: string; depth: number; files: Map<string, string> }

function visit(folder: string, { path, depth, files }: Visit): void {
  const descriptor = openFolder(folder)
  if (descriptor === undefined) return
  try {
    const open = `/proc/self/fd/${descriptor}`
    for (const name of readdirSync(open)) {
      if (files.size >= MAX_FILES) return
      const stamp = stampOf(join(open, name))
      if (stamp !== undefined) files.set(join(path, name), stamp)
      else if (depth < MAX_DEPTH) visit(join(open, name), { path: join(path, name), depth: depth + 1, files })
    }
  } finally {
    closeSync(descriptor)
  }
}

/** Undefined if it is something else, or a link. */
function openFolder(path: string): number | undefined {
  try {
    return openSync(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW)
  } catch (error) {
    if (['ENOENT', 'ENOTDIR', 'ELOOP'].includes(errorCode(error) ?? '')) return undefined
    throw error
  }
}

function openPlain(path: string): number | undefined {
  return orUndefined(() => openSync(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK))
}

function copyPlain(path: string, { from, to }: { from: string; to: string }): boolean {
  const source = within({ root: from, path }, openPlain)
  if (source === undefined) return false
  try {
    if (!fstatSync(source).isFile()) return false
    const copied = within({ root: to, path, creates: true }, (entry) => {
      const beside = `${entry}.drover`
      rmSync(beside, { recursive: true, force: true })
      copyFileSync(`/proc/self/fd/${source}`, beside, constants.COPYFILE_EXCL)
      chmodSync(beside, MODE)
      renameSync(beside, entry)
      return true
    })
    return copied === true
  } finally {
    closeSync(source)
  }
}
