/** Counts what a sandboxed command reached and what it was refused. */
import type { LimitEvent } from './disk-watch.ts'
import type { HostRefusal, ProxyEvent } from './proxy.ts'
import { findUnwritablePaths, MAX_PATHS } from './unwritable-paths.ts'

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
