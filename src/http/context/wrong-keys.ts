/**
 * Slows down clients that guess API keys. The answer to a wrong key waits, longer with each further one of the same address. While
 * too many wait, further keys of the address are not checked, so that no one learns more by asking faster. A key that was
 * accepted from there before never waits and is never refused: many people may share an address.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import type { Log } from '../../kit/log.ts'
import { toNetwork } from '../../service/server-address.ts'
import { tooManyWrongKeys } from '../errors/faults.ts'
import { oncePerBurst } from './once-per-burst.ts'

/** Wrong keys up to `free` are answered at once. One is forgotten every `forgetMs`. */
type Delays = { free: number; firstMs: number; longestMs: number; forgetMs: number }

const DELAYS: Delays = { free: 5, firstMs: 100, longestMs: 5000, forgetMs: 10_000 }

/** So that nothing is delayed any more two minutes after the last wrong key. */
const MAX_COUNT = 12

/** Each request that waits holds a connection. */
const MAX_WAITING = 64
/** Wrong keys of an address whose time is not over, even if the client has hung up: otherwise it could guess again at once. */
const MAX_UNANSWERED = 8

/** Bounds the memory. The address that was quiet the longest is forgotten first. */
const MAX_ADDRESSES = 10_000

/** `answers` are the times at which wrong keys may be answered. */
type Guesses = { count: number; at: number; answers: readonly number[] }

/** A key that is wrong, or may not be checked now. */
export type WrongKey = { delayMs: number; isChecked: boolean }

export class WrongKeys {
  readonly #delays: Delays
  readonly #nowMs: () => number
  readonly #note: (fields: { client: string }) => void
  /** By network, in order of the last wrong key. */
  readonly #byNetwork = new Map<string, Guesses>()
  /** The ids of the keys that were accepted, by network. */
  readonly #accepted = new Map<string, Set<string>>()
  #waiting = 0

  constructor({ log, delays, nowMs }: { log: Log; delays?: Partial<Delays>; nowMs?: () => number }) {
    this.#delays = { ...DELAYS, ...delays }
    this.#nowMs = nowMs ?? (() => performance.now())
    this.#note = oncePerBurst((fields) =>
      log.warn(fields, 'many wrong API keys from one address, so answers are delayed'),
    )
  }

  /** To be called once for each key that a request has, with its id if it is valid. Undefined if the key is accepted. */
  check(address: string, keyId: string | undefined): WrongKey | undefined {
    const network = toNetwork(address)
    if (keyId !== undefined && this.#accepted.get(network)?.has(keyId) === true) return undefined
    const isChecked = this.#unanswered(network).length < MAX_UNANSWERED
    if (keyId !== undefined && isChecked) {
      this.#remember(network, keyId)
      return undefined
    }
    const guesses = this.#count(network)
    const delayMs = delayAfter(guesses.count, this.#delays)
    if (delayMs > 0) this.#note({ client: address })
    if (isChecked) guesses.answers = [...this.#unanswered(network), this.#nowMs() + delayMs]
    return { delayMs, isChecked }
  }

  /** Resolves when the wrong key may be answered, or when the client is gone. Throws a Fault if it gets no other answer. */
  async wait({ delayMs, isChecked }: WrongKey, signal: AbortSignal): Promise<void> {
    if (delayMs === 0) return
    if (!isChecked || this.#waiting >= MAX_WAITING) {
      throw tooManyWrongKeys({ retryAfterSecs: Math.ceil(delayMs / 1000) })
    }
    this.#waiting += 1
    await sleep(delayMs, undefined, { signal }).catch(() => undefined)
    this.#waiting -= 1
  }

  #unanswered(network: string): number[] {
    const now = this.#nowMs()
    return this.#guesses(network).answers.filter((at) => at > now)
  }

  #guesses(network: string): Guesses {
    // Stryker disable next-line ArrayDeclaration: a text is no time to come
    return this.#byNetwork.get(network) ?? { count: 0, at: this.#nowMs(), answers: [] }
  }

  #remember(network: string, keyId: string): void {
    const ids = this.#accepted.get(network)
    if (ids === undefined) addBounded(this.#accepted, network, new Set([keyId]))
    else ids.add(keyId)
  }

  #count(network: string): Guesses {
    const now = this.#nowMs()
    const guesses = this.#guesses(network)
    const left = Math.max(0, guesses.count - (now - guesses.at) / this.#delays.forgetMs)
    Object.assign(guesses, { count: Math.min(left + 1, MAX_COUNT), at: now })
    this.#byNetwork.delete(network)
    addBounded(this.#byNetwork, network, guesses)
    return guesses
  }
}

/** Adds the last entry of a map, and forgets the first if there are too many. */
function addBounded<T>(map: Map<string, T>, network: string, value: T): void {
  map.set(network, value)
  const [oldest = ''] = map.keys()
  if (map.size > MAX_ADDRESSES) map.delete(oldest)
}

/** How long the answer to the last of this many wrong keys waits. Pure. */
export function delayAfter(count: number, { free, firstMs, longestMs }: Delays = DELAYS): number {
  const beyond = Math.ceil(count) - free
  return beyond <= 0 ? 0 : Math.min(longestMs, firstMs * 2 ** (beyond - 1))
}
