/** The rate limit: token buckets. A client may send `burst` requests at once and `rps` per second in the long run. */
import { isIP } from 'node:net'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { ApiKey } from '../../config/api-keys.ts'
import type { Config } from '../../config/config.shape.ts'
import { tooManyRequests } from '../errors/faults.ts'
import { pathOf } from './target.ts'

export type RateLimits = { rps: number; burst: number; forgetAfterMs: number }

type Admission = {
  isAllowed: boolean
  limit: number
  /** Requests that are allowed right now. */
  remaining: number
  /** Seconds until the next request is allowed; 0 if it is allowed now. */
  retryAfterSecs: number
  /** Seconds until the bucket is full again. */
  resetSecs: number
}

export type RateLimiter = { admit(client: { key: ApiKey | undefined; address: string }): Admission }

/** Undefined if the configuration sets no rate limit. */
export function rateLimiterFrom(server: Config['server']): RateLimiter | undefined {
  if (!server.rate_limit_enabled) return undefined
  const { rate_limit_rps: rps, rate_limit_burst: burst, rate_limit_cleanup_secs: cleanupSecs } = server
  return createRateLimiter({ rps, burst, forgetAfterMs: cleanupSecs * 1000 }, () => performance.now())
}

/** The files that a page of the server loads: one visit must not use up the burst of a client. */
const PAGE_FILE = /^\/(?:docs|console)\/[^/]+$/

/** Counts the request for its API key, or for its address if it has no valid key. */
export function limitRate(
  { request, reply }: { request: FastifyRequest; reply: FastifyReply },
  limiter: RateLimiter | undefined,
): void {
  if (limiter === undefined || PAGE_FILE.test(pathOf(request))) return
  const { isAllowed, limit, remaining, retryAfterSecs, resetSecs } = limiter.admit(request.facts)
  reply.headers({
    'ratelimit-limit': String(limit),
    'ratelimit-remaining': String(remaining),
    'ratelimit-reset': String(resetSecs),
  })
  if (!isAllowed) throw tooManyRequests({ limit, retryAfterSecs })
}

/** Bounds the memory that a flood from many addresses can use. The bucket that was idle the longest is dropped first. */
const MAX_ADDRESSES = 10_000

type Bucket = { tokens: number; seenAt: number }

export function createRateLimiter(limits: RateLimits, nowMs: () => number): RateLimiter {
  /** By key name. Keys are few, so these buckets are never dropped, and a flood of addresses cannot refill one. */
  const keyBuckets = new Map<string, Bucket>()
  /** By network, in order of last use: a bucket moves to the end when it is used. */
  const addressBuckets = new Map<string, Bucket>()
  // A dropped bucket starts full again, so none is dropped before it would be full anyway.
  const forgetAfterMs = Math.max(limits.forgetAfterMs, (limits.burst / limits.rps) * 1000)

  const dropOldBuckets = (now: number) => {
    for (const [network, { seenAt }] of addressBuckets) {
      if (now - seenAt < forgetAfterMs && addressBuckets.size <= MAX_ADDRESSES) return
      addressBuckets.delete(network)
    }
  }

  return {
    admit({ key, address }) {
      const now = nowMs()
      const [buckets, id] = key === undefined ? [addressBuckets, networkOf(address)] : [keyBuckets, key.name]
      const rps = key?.rateLimit.rps ?? limits.rps
      const burst = key?.rateLimit.burst ?? limits.burst
      const before = buckets.get(id) ?? { tokens: burst, seenAt: now }
      const filled = Math.min(burst, before.tokens + ((now - before.seenAt) / 1000) * rps)
      const isAllowed = filled >= 1
      const tokens = isAllowed ? filled - 1 : filled
      buckets.delete(id)
      buckets.set(id, { tokens, seenAt: now })
      dropOldBuckets(now)
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

/** The /64 network of an IPv6 address, because one machine can use any address in it. An IPv4 address stays as it is. */
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
