import fc from 'fast-check'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { describe, expect, it } from 'vitest'
import type { Config } from '../../config/config.shape.ts'
import { Fault } from '../../kit/fault.ts'
import { createRateLimiter, limitRate, type RateLimiter, type RateLimits, rateLimiterFrom } from './rate-limit.ts'

const LIMITS: RateLimits = { rps: 2, burst: 3, forgetAfterMs: 10_000 }

function limiterAt(limits: Partial<RateLimits> = {}) {
  const time = { now: 0 }
  const limiter = createRateLimiter({ ...LIMITS, ...limits }, () => time.now)
  const from = (address: string) => limiter.admit({ key: undefined, address })
  return { time, limiter, from }
}

describe('a bucket', () => {
  it('contains the burst, and fills at the rate', () => {
    const { time, from } = limiterAt()
    const isAllowed = () => from('1.1.1.1').isAllowed
    expect([isAllowed(), isAllowed(), isAllowed(), isAllowed()]).toEqual([true, true, true, false])
    time.now = 499
    expect(isAllowed()).toBe(false)
    time.now = 500
    expect([isAllowed(), isAllowed()]).toEqual([true, false])
    time.now = 60_000
    expect([isAllowed(), isAllowed(), isAllowed(), isAllowed()]).toEqual([true, true, true, false])
  })

  it('reports the remaining requests and when more are allowed', () => {
    const { from } = limiterAt({ rps: 1 })
    expect(from('1.1.1.1')).toEqual({ isAllowed: true, limit: 3, remaining: 2, retryAfterSecs: 0, resetSecs: 1 })
    from('1.1.1.1')
    from('1.1.1.1')
    expect(from('1.1.1.1')).toEqual({ isAllowed: false, limit: 3, remaining: 0, retryAfterSecs: 1, resetSecs: 3 })
  })

  it('reports when the next request is allowed, not when the bucket is full', () => {
    const { time, from } = limiterAt({ rps: 0.1, burst: 2 })
    for (let used = 0; used < 2; used++) from('1.1.1.1')
    time.now = 5000
    expect(from('1.1.1.1')).toMatchObject({ isAllowed: false, retryAfterSecs: 5, resetSecs: 15 })
  })

  it('never reports a retry time that is too short', () => {
    const count = fc.integer({ min: 1, max: 50 })
    fc.assert(
      fc.property(count, count, fc.integer({ min: 0, max: 3000 }), (rps, burst, pause) => {
        const { time, from } = limiterAt({ rps, burst })
        for (let used = 0; used < burst; used++) from('1.1.1.1')
        time.now += pause
        const { isAllowed, retryAfterSecs } = from('1.1.1.1')
        time.now += retryAfterSecs * 1000
        expect(isAllowed || from('1.1.1.1').isAllowed).toBe(true)
      }),
    )
  })

  it.each([
    ['another address', '1.1.1.1', '1.1.1.2', true],
    ['the same /64 of IPv6', '2001:db8:0:1::1', '2001:db8:0:1:ffff::2', false],
    ['the same /64 written in other ways', '2001:DB8::1', '2001:0db8:0:0:9::', false],
    ['another /64', '2001:db8:0:1::1', '2001:db8:0:2::1', true],
    ['loopback and another', '::1', '::2', false],
  ])('belongs to one client: %s', (_name, first, second, isOther) => {
    const { from } = limiterAt({ burst: 1 })
    from(first)
    expect(from(second).isAllowed).toBe(isOther)
  })

  it('of a key is separate, with the limits of the key', () => {
    const { limiter, from } = limiterAt({ burst: 1 })
    const key = { id: 'key_1', name: 'ci', role: 'client' as const, rateLimit: { burst: 2, rps: 1 }, ceilings: {} }
    from('1.1.1.1')
    const admit = () => limiter.admit({ key, address: '1.1.1.1' })
    expect([admit().isAllowed, admit().isAllowed, admit().isAllowed]).toEqual([true, true, false])
    expect(admit()).toMatchObject({ limit: 2, retryAfterSecs: 1 })
  })
})

describe('clients', () => {
  it('are dropped after a long time', () => {
    const { time, from } = limiterAt({ rps: 1, burst: 100, forgetAfterMs: 200_000 })
    for (let used = 0; used < 100; used++) from('1.1.1.1')
    time.now = 200_000
    from('2.2.2.2')
    expect(from('1.1.1.1').remaining).toBe(99)
  })

  it('are not dropped before their bucket is full', () => {
    const { time, from } = limiterAt({ rps: 0.5, burst: 100, forgetAfterMs: 1000 })
    for (let used = 0; used < 100; used++) from('1.1.1.1')
    time.now = 60_000
    from('2.2.2.2')
    expect(from('1.1.1.1').remaining).toBe(29)
  })

  it('with a slowly filling key are not dropped before their bucket is full', () => {
    const { time, limiter, from } = limiterAt({ rps: 100, burst: 1, forgetAfterMs: 1000 })
    const key = {
      id: 'key_2',
      name: 'slow',
      role: 'client' as const,
      rateLimit: { rps: 0.001, burst: 2 },
      ceilings: {},
    }
    const admit = () => limiter.admit({ key, address: '1.1.1.1' }).isAllowed
    expect([admit(), admit(), admit()]).toEqual([true, true, false])
    time.now = 500_000
    from('2.2.2.2')
    expect(admit()).toBe(false)
  })

  it('with a key are not dropped in a flood of addresses', () => {
    const { limiter, from } = limiterAt({ burst: 1 })
    const admit = () =>
      limiter.admit({
        key: { id: 'key_1', name: 'ci', role: 'client' as const, rateLimit: {}, ceilings: {} },
        address: '1.1.1.1',
      }).isAllowed
    expect([admit(), admit()]).toEqual([true, false])
    for (let n = 0; n < 10_001; n++) from(`10.0.${n >> 8}.${n & 255}`)
    expect(admit()).toBe(false)
  })

  it('without a key are limited to ten thousand: the one that was idle the longest is dropped', () => {
    const { from } = limiterAt({ burst: 2 })
    const address = (n: number) => `10.${(n >> 16) & 255}.${(n >> 8) & 255}.${n & 255}`
    for (let n = 0; n < 10_000; n++) from(address(n))
    from(address(0))
    from(address(10_000))
    expect(from(address(1)).remaining).toBe(1)
    expect(from(address(0)).isAllowed).toBe(false)
  })
})

const ADDRESS = '1.1.1.1'
const keyWith = (rateLimit: { rps?: number; burst?: number }) => ({
  ...{ id: 'key_1', name: 'ci', role: 'client' as const, ceilings: {} },
  rateLimit,
})
const settings = { rate_limit_enabled: true, rate_limit_rps: 2, rate_limit_burst: 3, rate_limit_cleanup_secs: 60 }
const SERVER = settings as Config['server']

describe('the limit that the configuration sets', () => {
  it('is none unless it is turned on', () => {
    const shared = { take: async () => 1 }
    expect(rateLimiterFrom({ ...SERVER, rate_limit_enabled: false }, shared)).toBeUndefined()
  })

  it('is that of this server, without buckets that servers share', () => {
    const limiter = rateLimiterFrom(SERVER, undefined)
    const admit = () => limiter?.admit({ key: undefined, address: ADDRESS })
    expect(admit()).toMatchObject({ isAllowed: true, limit: 3, remaining: 2 })
    expect([admit(), admit(), admit()]).toMatchObject([{ isAllowed: true }, { isAllowed: true }, { isAllowed: false }])
  })

  it.each([
    ['an address', undefined, '1.1.1.1', 'address 1.1.1.1', { rps: 2, burst: 3 }],
    ['a network', undefined, '2001:db8:0:1::7', 'address 2001:db8:0:1', { rps: 2, burst: 3 }],
    ['a key', keyWith({}), ADDRESS, 'key key_1', { rps: 2, burst: 3 }],
    ['a key with its own limits', keyWith({ rps: 9, burst: 8 }), ADDRESS, 'key key_1', { rps: 9, burst: 8 }],
  ])('is counted by all servers together for %s', async (_, key, address, id, limits) => {
    const taken: unknown[] = []
    const take = async (...args: unknown[]) => {
      taken.push(args)
      return 1.5
    }
    const admission = await rateLimiterFrom(SERVER, { take })?.admit({ key, address })
    expect(taken).toEqual([[id, limits]])
    const resetSecs = Math.ceil((limits.burst - 0.5) / limits.rps)
    expect(admission).toEqual({ isAllowed: true, limit: limits.burst, remaining: 0, retryAfterSecs: 0, resetSecs })
  })

  it('is used up when the buckets of all servers have less than one request left', async () => {
    const limiter = rateLimiterFrom(SERVER, { take: async () => 0.5 })
    expect(await limiter?.admit({ key: undefined, address: ADDRESS })).toEqual({
      ...{ isAllowed: false, limit: 3, remaining: 0, retryAfterSecs: 1, resetSecs: 2 },
    })
  })

  it('is that of this server while the store fails', async () => {
    const limiter = rateLimiterFrom(SERVER, { take: () => Promise.reject(new Error('the store is away')) })
    const admit = async () => (await limiter?.admit({ key: undefined, address: ADDRESS }))?.isAllowed
    expect([await admit(), await admit(), await admit(), await admit()]).toEqual([true, true, true, false])
  })
})

describe('a request', () => {
  const admission = { isAllowed: true, limit: 3, remaining: 2, retryAfterSecs: 0, resetSecs: 1 }
  const refusal = { isAllowed: false, limit: 3, remaining: 0, retryAfterSecs: 4, resetSecs: 5 }
  /** Sends a request, and returns its clients that were counted, its headers and its refusal. */
  const send = async (url: string, admit: RateLimiter['admit'] | undefined) => {
    const headers: Record<string, string> = {}
    const counted: unknown[] = []
    const limiter = admit && {
      admit: (client: Parameters<RateLimiter['admit']>[0]) => {
        counted.push(client)
        return admit(client)
      },
    }
    const request = { url, facts: { key: undefined, address: ADDRESS } } as unknown as FastifyRequest
    const reply = { headers: (more: object) => Object.assign(headers, more) } as unknown as FastifyReply
    let fault: unknown
    try {
      await limitRate({ request, reply }, limiter)
    } catch (error) {
      fault = error instanceof Fault ? [error.code, error.details] : error
    }
    return { counted, headers, fault }
  }

  it.each<[string, (answer: typeof admission) => ReturnType<RateLimiter['admit']>]>([
    ['this server', (answer) => answer],
    ['all servers', async (answer) => answer],
  ])('is counted by %s, told its limit, and refused above it', async (_, answerWith) => {
    const allowed = await send('/api/v1/prompt', () => answerWith(admission))
    expect(allowed).toEqual({
      counted: [{ key: undefined, address: ADDRESS }],
      headers: { 'ratelimit-limit': '3', 'ratelimit-remaining': '2', 'ratelimit-reset': '1' },
      fault: undefined,
    })
    const refused = await send('/api/v1/prompt', () => answerWith(refusal))
    expect(refused.headers).toEqual({ 'ratelimit-limit': '3', 'ratelimit-remaining': '0', 'ratelimit-reset': '5' })
    expect(refused.fault).toEqual(['too_many_requests', { limit: 3, retryAfterSecs: 4 }])
  })

  it.each<[string, boolean]>([
    ['/docs/style.css', false],
    ['/console/app.js', false],
    ['/docs', true],
    ['/docs/', true],
    ['/docs/a/b', true],
    ['/api/docs/style.css', true],
    ['/api/v1/prompt', true],
  ])('for %s counts: %s', async (url, isCounted) => {
    expect((await send(url, () => admission)).counted).toHaveLength(isCounted ? 1 : 0)
  })

  it('is not counted without a limit', async () => {
    expect(await send('/api/v1/prompt', undefined)).toEqual({ counted: [], headers: {}, fault: undefined })
  })
})
