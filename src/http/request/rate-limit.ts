/** Token buckets: each client may send `burst` requests at once, and `rps` a second in the long run. */
import { isIP } from 'node:net'
import type { ApiKey } from '../../config/api-keys.ts'

export type RateLimits = { rps: number; burst: number; forgetAfterMs: number }

type Admission = {
  isAllowed: boolean
  limit: number
  /** Requests that would be allowed right now. */
  remaining: number
  /** Until the next request is allowed; 0 when it is. */
  retryAfterSecs: number
  /** Until all of `limit` are allowed again. */
  resetSecs: number
}

export type RateLimiter = { admit(client: { key: ApiKey | undefined; address: string }): Admission }

/** A flood from many addresses must not fill the memory: whoever was not seen for the longest time is forgotten first. */
const MAX_ADDRESSES = 10_000

type Bucket = { tokens: number; seenAt: number }

export function createRateLimiter(limits: RateLimits, nowMs: () => number): RateLimiter {
  /** By name. Keys are few and known, so that none has to be forgotten, and no flood of strangers can refill one. */
  const ofKeys = new Map<string, Bucket>()
  /** Least recently seen first: a bucket is put to the end whenever it is touched. */
  const ofAddresses = new Map<string, Bucket>()
  // Whoever is forgotten starts with a full bucket, so nobody may be forgotten before theirs is full anyway.
  const forgetAfterMs = Math.max(limits.forgetAfterMs, (limits.burst / limits.rps) * 1000)

  const forgetOld = (now: number) => {
    for (const [network, { seenAt }] of ofAddresses) {
      if (now - seenAt < forgetAfterMs && ofAddresses.size <= MAX_ADDRESSES) return
      ofAddresses.delete(network)
    }
  }

  return {
    admit({ key, address }) {
      const now = nowMs()
      const [buckets, id] = key === undefined ? [ofAddresses, networkOf(address)] : [ofKeys, key.name]
      const rps = key?.rateLimit.rps ?? limits.rps
      const burst = key?.rateLimit.burst ?? limits.burst
      const before = buckets.get(id) ?? { tokens: burst, seenAt: now }
      const filled = Math.min(burst, before.tokens + ((now - before.seenAt) / 1000) * rps)
      const isAllowed = filled >= 1
      const tokens = isAllowed ? filled - 1 : filled
      buckets.delete(id)
      buckets.set(id, { tokens, seenAt: now })
      forgetOld(now)
      return {
        isAllowed,
        limit: burst,
        remaining: Math.floor(tokens),
        retryAfterSecs: isAllowed ? 0 : Math.ceil((1 - tokens) / rps),
        resetSecs: Math.ceil((burst - tokens) / rps),
      }
    },
  }
}

/** One household or machine has a whole /64 of IPv6 to choose its address from. */
function networkOf(address: string): string {
  if (isIP(address) !== 6) return address
  const [head = '', tail] = address.split('::')
  const parts = head.split(':').filter(Boolean)
  const rest = (tail ?? '').split(':').filter(Boolean)
  const zeros = tail === undefined ? [] : new Array<string>(Math.max(0, 8 - parts.length - rest.length)).fill('0')
  return [...parts, ...zeros, ...rest]
    .slice(0, 4)
    .map((part) => part.toLowerCase().replace(/^0+(?=.)/, ''))
    .join(':')
}
