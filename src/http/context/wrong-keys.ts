/**
 * Slows down clients that guess API keys. The answer to a wrong key waits, longer with each further one of the same address. A
 * valid key never waits: many people may share an address.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import type { Log } from '../../kit/log.ts'
import { tooManyWrongKeys } from '../errors/faults.ts'
import { networkOf } from './networks.ts'
import { oncePerBurst } from './once-per-burst.ts'

/** Wrong keys up to `free` are answered at once. One is forgotten every `forgetMs`. */
type Delays = { free: number; firstMs: number; longestMs: number; forgetMs: number }

const DELAYS: Delays = { free: 5, firstMs: 100, longestMs: 5000, forgetMs: 10_000 }

/** So that nothing is delayed any more two minutes after the last wrong key. */
const MAX_COUNT = 12

/** Each request that waits holds a connection. */
const MAX_WAITING = 64
const MAX_WAITING_PER_ADDRESS = 8

/** Bounds the memory. The address that was quiet the longest is forgotten first. */
const MAX_ADDRESSES = 10_000

type Guesses = { count: number; at: number; waiting: number }

export class WrongKeys {
  readonly #delays: Delays
  readonly #nowMs: () => number
  readonly #note: (fields: { client: string }) => void
  /** By network, in order of the last wrong key. */
  readonly #byNetwork = new Map<string, Guesses>()
  #waiting = 0

  constructor({ log, delays, nowMs }: { log: Log; delays?: Partial<Delays>; nowMs?: () => number }) {
    this.#delays = { ...DELAYS, ...delays }
    this.#nowMs = nowMs ?? (() => performance.now())
    this.#note = oncePerBurst((fields) => log.warn(fields, 'many wrong API keys of an address, so answers are delayed'))
  }

  /** Resolves when the wrong key may be answered, or when the client is gone. Throws a Fault if too many wait already. */
  async wait(address: string, signal: AbortSignal): Promise<void> {
    const guesses = this.#count(networkOf(address))
    const delayMs = delayAfter(guesses.count, this.#delays)
    if (delayMs === 0) return
    this.#note({ client: address })
    if (guesses.waiting >= MAX_WAITING_PER_ADDRESS || this.#waiting >= MAX_WAITING) {
      throw tooManyWrongKeys({ retryAfterSecs: Math.ceil(delayMs / 1000) })
    }
    guesses.waiting += 1
    this.#waiting += 1
    await sleep(delayMs, undefined, { signal }).catch(() => undefined)
    guesses.waiting -= 1
    this.#waiting -= 1
  }

  #count(network: string): Guesses {
    const now = this.#nowMs()
    const guesses = this.#byNetwork.get(network) ?? { count: 0, at: now, waiting: 0 }
    const left = Math.max(0, guesses.count - (now - guesses.at) / this.#delays.forgetMs)
    Object.assign(guesses, { count: Math.min(left + 1, MAX_COUNT), at: now })
    this.#byNetwork.delete(network)
    this.#byNetwork.set(network, guesses)
    const [oldest = ''] = this.#byNetwork.keys()
    if (this.#byNetwork.size > MAX_ADDRESSES) this.#byNetwork.delete(oldest)
    return guesses
  }
}

/** How long the answer to the last of so many wrong keys waits. Pure. */
export function delayAfter(count: number, { free, firstMs, longestMs }: Delays = DELAYS): number {
  const beyond = Math.ceil(count) - free
  return beyond <= 0 ? 0 : Math.min(longestMs, firstMs * 2 ** (beyond - 1))
}
