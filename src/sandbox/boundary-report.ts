/** Counts what a sandboxed command reached and what it was refused. */
import type { LimitEvent } from './disk-watch.ts'
import type { HostRefusal, ProxyEvent } from './proxy.ts'

export type BoundaryEvent = ProxyEvent | LimitEvent

export type BoundaryTotals = {
  reached: { host: string; count: number }[]
  refused: { host: string; reason: HostRefusal; count: number }[]
  /** Paths that could not be written, as commands printed them. */
  unwritable: string[]
  /** Limits, and commits that were not taken, as sentences. */
  exceeded: string[]
}

/** A hostile command can ask for any number of hosts. More than this are only counted, as others. */
const MAX_HOSTS = 1000
const OTHERS = 'other hosts'

export class BoundaryCounts {
  readonly #reached = new Map<string, number>()
  readonly #refused = new Map<string, { reason: HostRefusal; count: number }>()
  readonly #unwritable = new Set<string>()
  readonly #exceeded: string[] = []

  /** Whether it is the first one about its host. */
  add(event: BoundaryEvent): boolean {
    if (event.is === 'exceeded') return this.#exceeded.push(event.fault.details.exceeded) > 0
    const named = `${event.host}:${event.port}`
    if (event.is === 'failed') return false
    if (event.is === 'reached') {
      const host = keyIn(this.#reached, named)
      const count = (this.#reached.get(host) ?? 0) + 1
      this.#reached.set(host, count)
      return count === 1
    }
    const host = keyIn(this.#refused, named)
    const count = (this.#refused.get(host)?.count ?? 0) + 1
    this.#refused.set(host, { reason: event.reason, count })
    return count === 1
  }

  /** Paths that a command printed for the first time. */
  addPrinted(printed: string): string[] {
    const room = MAX_PATHS - this.#unwritable.size
    const news = findUnwritablePaths(printed).filter((path) => !this.#unwritable.has(path))
    const added = news.slice(0, room)
    for (const path of added) this.#unwritable.add(path)
    return added
  }

  report(): BoundaryTotals {
    return {
      reached: [...this.#reached].map(([host, count]) => ({ host, count })),
      refused: [...this.#refused].map(([host, { reason, count }]) => ({ host, reason, count })),
      unwritable: [...this.#unwritable],
      exceeded: [...this.#exceeded],
    }
  }
}

function keyIn(map: ReadonlyMap<string, unknown>, host: string): string {
  return map.has(host) || map.size < MAX_HOSTS ? host : OTHERS
}

/** Enough to see what was tried. */
const MAX_PATHS = 50
const MAX_LENGTH = 300

/** For a user who is not root, the permissions of a file count before its mount. Only absolute paths are told then: others are in the worktree. */
const SAID = '(read-only file system|permission denied)'
/** Node: `EROFS: read-only file system, open '/x'`; Python: `[Errno 30] Read-only file system: '/x'`. */
const AFTER = new RegExp(`${SAID}(?:, \\w+)?:? ['"](?<path>[^'"\n]+)['"]`, 'gi')
/** `touch: cannot touch '/x': Read-only file system`, `sh: 1: cannot create /x: Read-only file system`, Go: `open /x: read-only …`. */
const BEFORE = new RegExp(`(?:['"](?<quoted>[^'"\n]+)['"]|(?<bare>[^\\s'":]*[/.][^\\s'":]*)): ${SAID}`, 'gi')

/** Which paths a command could not write, as it printed them. Nothing else shows it: the kernel tells only the command. Pure. */
export function findUnwritablePaths(printed: string): string[] {
  const found = [...printed.matchAll(AFTER), ...printed.matchAll(BEFORE)]
  const paths = found.flatMap(({ 0: said, groups: { path, quoted, bare } = {} }) => {
    const named = path ?? quoted ?? bare ?? ''
    return named.startsWith('/') || /read-only/i.test(said) ? [named] : []
  })
  return [...new Set(paths.filter((path) => path.length <= MAX_LENGTH))].slice(0, MAX_PATHS)
}
