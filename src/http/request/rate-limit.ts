/** The rate limit: token buckets. A client may send `burst` requests at once and `rps` per second in the long run. */
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { ApiKey } from '../../config/api-keys.ts'
import type { Config } from '../../config/config.shape.ts'
import { toNetwork } from '../../service/server-address.ts'
import { tooManyRequests } from '../errors/faults.ts'
import { decodePath } from './target.ts'

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

type RateClient = { key: ApiKey | undefined; address: string }

/** Answers at once, unless all servers share their limits. */
export type RateLimiter = { admit(client: RateClient): Admission | Promise<Admission> }

type OwnRateLimiter = { admit(client: RateClient): Admission }

/** Undefined if the configuration sets no rate limit. `shared` has the buckets of all servers. */
export function rateLimiterFrom(server: Config['server'], shared: SharedBuckets | undefined): RateLimiter | undefined {
  if (!server.rate_limit_enabled) return undefined
  const { rate_limit_rps: rps, rate_limit_burst: burst, rate_limit_cleanup_secs: cleanupSecs } = server
  const own = createRateLimiter({ rps, burst, forgetAfterMs: cleanupSecs * 1000 }, () => performance.now())
  return shared === undefined ? own : shareRateLimiter(own, { rps, burst }, shared)
}

/** Takes a token of a bucket that all servers share. Returns the tokens before, or what the bucket would have had. */
export type SharedBuckets = { take(client: string, limits: { rps: number; burst: number }): Promise<number> }

/** If the store fails, the limits of this server alone hold. */
function shareRateLimiter(
  own: OwnRateLimiter,
  limits: { rps: number; burst: number },
  shared: SharedBuckets,
): RateLimiter {
  return {
    async admit(client) {
      const rps = client.key?.rateLimit.rps ?? limits.rps
      const burst = client.key?.rateLimit.burst ?? limits.burst
      const id = client.key === undefined ? `address ${toNetwork(client.address)}` : `key ${client.key.id}`
      try {
        return toAdmission(await shared.take(id, { rps, burst }), { rps, burst })
      } catch {
        return own.admit(client)
      }
    },
  }
}

/** `filled` is what the bucket had before this request. */
function toAdmission(filled: number, { rps, burst }: { rps: number; burst: number }): Admission {
  const isAllowed = filled >= 1
  const tokens = isAllowed ? filled - 1 : filled
  return {
    isAllowed,
    limit: burst,
    remaining: Math.floor(tokens),
    retryAfterSecs: isAllowed ? 0 : Math.ceil((1 - tokens) / rps),
    resetSecs: Math.ceil((burst - tokens) / rps),
  }
}

/** The files that a page of the server loads: one visit must not use up the burst of a client. */
const PAGE_FILE = /^\/(?:docs|console)\/[^/]+$/

/** Counts the request for its API key, or for its address if it has no valid key. A promise, if all servers share limits. */
export function limitRate(exchange: Exchange, limiter: RateLimiter | undefined): Promise<void> | undefined {
  if (limiter === undefined || PAGE_FILE.test(decodePath(exchange.request))) return undefined
  const admission = limiter.admit(exchange.request.facts)
  if (admission instanceof Promise) return admission.then((admitted) => applyLimit(exchange, admitted))
  applyLimit(exchange, admission)
  return undefined
}

type Exchange = { request: FastifyRequest; reply: FastifyReply }

function applyLimit({ reply }: Exchange, admission: Admission): void {
  const { isAllowed, limit, remaining, retryAfterSecs, resetSecs } = admission
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

export function createRateLimiter(limits: RateLimits, nowMs: () => number): OwnRateLimiter {
  /** By key id. Keys are few, so these buckets are never dropped, and a flood of addresses cannot refill one. */
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
      const [buckets, id] = key === undefined ? [addressBuckets, toNetwork(address)] : [keyBuckets, key.id]
      const rps = key?.rateLimit.rps ?? limits.rps
      const burst = key?.rateLimit.burst ?? limits.burst
      const before = buckets.get(id) ?? { tokens: burst, seenAt: now }
      const filled = Math.min(burst, before.tokens + ((now - before.seenAt) / 1000) * rps)
      const admission = toAdmission(filled, { rps, burst })
      buckets.delete(id)
      buckets.set(id, { tokens: admission.isAllowed ? filled - 1 : filled, seenAt: now })
      dropOldBuckets(now)
      return admission
    },
  }
}
