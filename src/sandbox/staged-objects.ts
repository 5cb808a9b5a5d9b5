/** Objects that git has written inside: moves those to the repository whose content has the name that they claim. */
import { createHash } from 'node:crypto'
import {
  chmodSync,
  closeSync,
  existsSync,
  lstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  readSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { join, resolve } from 'node:path'
import { inflateSync } from 'node:zlib'
import { readFileBytes } from '../kit/files/read-file.ts'
import { randomIds } from '../kit/ids.ts'

const FOLDER = /^[0-9a-f]{2}$/
const NAME = /^(?:[0-9a-f]{38}|[0-9a-f]{62})$/
const OBJECT_LIMIT_BYTES = 2 ** 30
const OBJECT_MODE = 0o444

type Places = { staged: string; real: string }
type StagedObject = { folder: string; name: string }

const MAGIC = 'ff744f6300000002'
const FANOUT = 8
const NAMES = FANOUT + 256 * 4

export class StagedObjects {
  readonly #places: Places
  readonly #limitBytes: number

  constructor(places: Places, limitBytes = OBJECT_LIMIT_BYTES) {
    this.#places = places
    this.#limitBytes = limitBytes
  }

  /**
   * `tips` are the commits that git outside will see next. If an object would be missing then, nothing is taken, and the reason is
   * returned. What is not taken stays, so that git inside still has it.
   */
  take(tips: readonly string[]): string | undefined {
    const objects = this.#list()
    const stores = findStores(this.#places.real)
    const named = new Map<string, readonly string[]>()
    for (const each of objects) {
      if (stores.some((store) => isStored(store, idOf(each)))) continue
      const read = this.#read(each)
      if (read === undefined) return refuse(each)
      named.set(idOf(each), namedIn(read.content, idOf(each).length / 2))
    }
    const missing = findMissing(tips, { named, stores })
    if (missing !== undefined) return `the object ${missing} is missing`
    // A command that stays up may have changed one meanwhile.
    const changed = objects.find((each) => !this.#move(each, named))
    return changed && refuse(changed)
  }

  #list(): StagedObject[] {
    const { staged } = this.#places
    const folders = readdirSync(staged).filter((name) => FOLDER.test(name) && isDirectory(join(staged, name)))
    return folders.flatMap((folder) =>
      readdirSync(join(staged, folder)).flatMap((name) => (NAME.test(name) ? [{ folder, name }] : [])),
    )
  }

  /** Undefined if it is no plain file, too large, or has another name than its content. */
  #read(object: StagedObject) {
    const id = idOf(object)
    try {
      const limitBytes = this.#limitBytes
      const bytes = readFileBytes({ path: join(this.#places.staged, object.folder, object.name), limitBytes })
      const content = inflateSync(bytes, { maxOutputLength: limitBytes })
      const digest = createHash(id.length === 40 ? 'sha1' : 'sha256')
        .update(content)
        .digest('hex')
      return digest === id ? { bytes, content } : undefined
    } catch {
      return undefined
    }
  }

  /** One that is there already is not replaced. */
  #move(object: StagedObject, news: ReadonlyMap<string, unknown>): boolean {
    const { staged, real } = this.#places
    const { folder, name } = object
    if (news.has(idOf(object))) {
      const read = this.#read(object)
      if (read === undefined) return false
      mkdirSync(join(real, folder), { recursive: true })
      const beside = join(real, folder, `tmp_obj_${randomIds.hex(6)}`)
      writeFileSync(beside, read.bytes, { flag: 'wx' })
      chmodSync(beside, OBJECT_MODE)
      renameSync(beside, join(real, folder, name))
    }
    rmSync(join(staged, folder, name), { recursive: true, force: true })
    return true
  }
}

type Known = { named: ReadonlyMap<string, readonly string[]>; stores: readonly string[] }

/** Those that were there before name nothing that is missing. */
function findMissing(tips: readonly string[], { named, stores }: Known): string | undefined {
  const open = [...tips]
  const seen = new Set<string>()
  // A partial clone fetches objects when they are needed.
  const isPartial = stores.some((store) => packsOf(store).some((name) => name.endsWith('.promisor')))
  for (let id = open.pop(); id !== undefined; id = open.pop()) {
    if (seen.has(id)) continue
    seen.add(id)
    const next = named.get(id)
    if (next !== undefined) open.push(...next)
    else if (!isPartial && !stores.some((store) => isStored(store, id))) return id
  }
  return undefined
}

function idOf({ folder, name }: StagedObject): string {
  return folder + name
}

function refuse(object: StagedObject): string {
  return `the object ${idOf(object)} is damaged, or larger than 1 GB`
}

/** The store of a repository, and those that it borrows from. A link among them that leads in a circle is followed once. */
function findStores(real: string): string[] {
  const stores = new Set([real])
  for (const store of stores)
    for (const other of readLines(join(store, 'info', 'alternates'))) stores.add(resolve(store, other))
  return [...stores]
}

function isStored(store: string, id: string): boolean {
  if (existsSync(join(store, id.slice(0, 2), id.slice(2)))) return true
  return packsOf(store).some((name) => name.endsWith('.idx') && packHolds(join(store, 'pack', name), id))
}

function packsOf(store: string): string[] {
  return existsSync(join(store, 'pack')) ? readdirSync(join(store, 'pack')) : []
}

function readLines(path: string): string[] {
  if (!existsSync(path)) return []
  return readFileSync(path, 'utf8')
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('#'))
}

function isDirectory(path: string): boolean {
  return lstatSync(path).isDirectory()
}

/** Whether a pack holds an object, by its index (gitformat-pack(5), version 2). */
function packHolds(indexFile: string, id: string): boolean {
  const descriptor = openSync(indexFile, 'r')
  try {
    const read = (position: number, length: number) => {
      const bytes = Buffer.alloc(length)
      readSync(descriptor, bytes, 0, length, position)
      return bytes
    }
    // Version 1 has not been written since 2008. Git can read it, so what it holds is not missing.
    if (read(0, 8).toString('hex') !== MAGIC) return true
    const wanted = Buffer.from(id, 'hex')
    const first = wanted[0] ?? 0
    const countUpTo = (byte: number) => (byte < 0 ? 0 : read(FANOUT + byte * 4, 4).readUInt32BE())
    let [low, high] = [countUpTo(first - 1), countUpTo(first)]
    while (low < high) {
      const middle = (low + high) >>> 1
      const order = wanted.compare(read(NAMES + middle * wanted.length, wanted.length))
      if (order === 0) return true
      if (order < 0) high = middle
      else low = middle + 1
    }
    return false
  } finally {
    closeSync(descriptor)
  }
}

/** Which objects an object of git names. Pure. */
const SUBMODULE = '160000'

/** `content` is that of a loose object, with its header. `idBytes` is the length of an id. */
function namedIn(content: Buffer, idBytes: number): string[] {
  const start = content.indexOf(0) + 1
  const [type] = content.toString('latin1', 0, start).split(' ')
  if (type === 'tree') return namedInTree(content, { start, idBytes })
  if (type !== 'commit' && type !== 'tag') return []
  const [head = ''] = content.toString('latin1', start).split('\n\n', 1)
  return [...head.matchAll(/^(?:tree|parent|object) ([0-9a-f]+)$/gm)].map(([, id = '']) => id)
}

/** Each entry is its mode, a space, its name, a zero byte and its id. Commits of submodules are elsewhere. */
function namedInTree(content: Buffer, { start, idBytes }: { start: number; idBytes: number }): string[] {
  const ids: string[] = []
  for (let at = start; at < content.length; ) {
    const end = content.indexOf(0, at)
    if (end === -1) break
    const mode = content.toString('latin1', at, content.indexOf(0x20, at))
    if (mode !== SUBMODULE) ids.push(content.toString('hex', end + 1, end + 1 + idBytes))
    at = end + 1 + idBytes
  }
  return ids
}
