/** What the pool remembers after processes have ended: which places are in use, and which programs start. */
import type { AgentRequest } from '../adapter/agent.ts'
import type { PoolKey } from './pool-key.ts'
import { LONGEST_RETRY_MS, retryAfterMs, SPARE_WINDOW_MS } from './pool-rules.ts'

const PLACES_LIMIT = 1000

export class PoolHistory {
  readonly #usesPerPlace: number
  /** When each place was used. */
  readonly #uses = new Map<string, number[]>()
  /** Programs that have started once. */
  readonly #proven = new Set<string>()
  /** The places whose processes did not start: how often in a row, and when the next one may. */
  readonly #failed = new Map<string, { times: number; retryAt: number }>()

  constructor({ usesPerPlace }: { usesPerPlace: number }) {
    this.#usesPerPlace = usesPerPlace
  }

  noteUse({ place }: PoolKey): void {
    const now = performance.now()
    const recent = this.usesOf({ place }).filter((at) => now - at <= SPARE_WINDOW_MS)
    this.#uses.delete(place)
    this.#uses.set(place, [...recent, now].slice(-this.#usesPerPlace))
    const [oldest] = this.#uses.keys()
    if (this.#uses.size > PLACES_LIMIT && oldest !== undefined) this.#uses.delete(oldest)
  }

  usesOf({ place }: Pick<PoolKey, 'place'>): readonly number[] {
    return this.#uses.get(place) ?? []
  }

  noteStart({ place }: PoolKey, request: AgentRequest): void {
    this.#proven.add(programKey(request))
    this.#failed.delete(place)
  }

  hasStarted(request: AgentRequest): boolean {
    return this.#proven.has(programKey(request))
  }

  /** Returns how often in a row processes of the place did not start. */
  noteFailure({ place }: PoolKey): number {
    const times = (this.#failed.get(place)?.times ?? 0) + 1
    this.#failed.set(place, { times, retryAt: performance.now() + retryAfterMs(times) })
    return times
  }

  mayStart({ place }: PoolKey): boolean {
    return performance.now() >= (this.#failed.get(place)?.retryAt ?? 0)
  }

  /** Forgets the failures of places that were not asked for during a long time. */
  forgetOldFailures(): void {
    const now = performance.now()
    for (const [place, { retryAt }] of this.#failed) {
      if (retryAt + LONGEST_RETRY_MS <= now) this.#failed.delete(place)
    }
  }
}

function programKey({ backend, program }: AgentRequest): string {
  return JSON.stringify([backend, program])
}
