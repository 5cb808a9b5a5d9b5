/** Counts what a sandboxed command reached and what it was refused. */
import type { HostRefusal, ProxyEvent } from './proxy.ts'

export type BoundaryTotals = {
  reached: readonly { host: string; count: number }[]
  refused: readonly { host: string; reason: HostRefusal; count: number }[]
}

/** A hostile command can ask for any number of hosts. More than this are only counted, as others. */
const MAX_HOSTS = 1000
const OTHERS = 'other hosts'

export class BoundaryCounts {
  readonly #reached = new Map<string, number>()
  readonly #refused = new Map<string, { reason: HostRefusal; count: number }>()

  /** Whether it is the first one about its host. */
  add(event: ProxyEvent): boolean {
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

  report(): BoundaryTotals {
    return {
      reached: [...this.#reached].map(([host, count]) => ({ host, count })),
      refused: [...this.#refused].map(([host, { reason, count }]) => ({ host, reason, count })),
    }
  }
}

function keyIn(map: ReadonlyMap<string, unknown>, host: string): string {
  return map.has(host) || map.size < MAX_HOSTS ? host : OTHERS
}
