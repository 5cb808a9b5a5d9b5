import type { FastifyReply, FastifyRequest } from 'fastify'
import { describe, expect, it } from 'vitest'
import { Fault } from '../../kit/fault.ts'
import type { ServerContext } from '../context/server-context.ts'
import { handleCors, isAllowedOrigin, isOwnPage, refuseForeignPages } from './browsers.ts'

describe('isAllowedOrigin', () => {
  it.each<[string, string, boolean]>([
    ['https://app.example.com', 'https://app.example.com', true],
    ['https://app.example.com', 'https://app.example.com:444', false],
    ['https://app.example.com', 'http://app.example.com', false],
    ['*', 'https://anything.example', true],
    ['*', 'null', true],
    ['http://localhost:*', 'http://localhost:3000', true],
    ['http://localhost:*', 'http://localhost:', true],
    ['http://localhost:*', 'http://localhost', true],
    ['http://localhost:*', 'https://localhost', false],
    ['http://localhost:*', 'http://localhost.evil.example', false],
    ['http://localhost:*', 'http://localhost:1@evil.example', false],
    ['http://localhost:*', 'http://localhost:1/path', false],
    ['https://*.example.com', 'https://a.example.com', true],
    ['https://*.example.com', 'https://a.b.example.com', true],
    ['https://*.example.com', 'https://example.com', false],
    ['https://*.example.com', 'https://evil.com/.example.com', false],
    ['https://a*a', 'https://a', false],
    ['https://*.my_app.example', 'https://a.my_app.example', true],
    ['https://*.my_app.example', 'https://a_b.my_app.example', false],
  ])('with the pattern %s and the origin %s is %s', (pattern, origin, isAllowed) => {
    expect(isAllowedOrigin(origin, [pattern])).toBe(isAllowed)
  })
})

const OWN = { host: 'localhost:8080', origin: 'http://localhost:8080' }
const FOREIGN = { host: 'localhost:8080', origin: 'https://evil.example' }
const PREFLIGHT = { method: 'OPTIONS', headers: { ...FOREIGN, 'access-control-request-method': 'POST' } }

function toRequest(over: object): FastifyRequest {
  return { method: 'POST', url: '/api/v1/prompt', headers: {}, ...over } as unknown as FastifyRequest
}

describe('a page of another server', () => {
  const refusalOf = (over: object, { isRequired = false, allowed = [] as string[], isLoopback = true } = {}) => {
    const exposure = { isLoopback }
    const context = { keys: { isRequired }, config: { server: { cors_allowed_origins: allowed } }, exposure }
    try {
      refuseForeignPages(toRequest(over), context as unknown as ServerContext)
      return undefined
    } catch (error) {
      if (error instanceof Fault) return error.code
      throw error
    }
  }
  const link = { 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'navigate', 'sec-fetch-dest': 'document' }
  const follow = (over: object = {}, url = '/console/') => ({ method: 'GET', url, headers: { ...link, ...over } })

  it.each<[string, object, string | undefined]>([
    ['a program', { headers: {} }, undefined],
    ['its own page', { headers: OWN }, undefined],
    ['another origin', { headers: FOREIGN }, 'origin_not_allowed'],
    ['another site without an origin', { headers: { 'sec-fetch-site': 'cross-site' } }, 'origin_not_allowed'],
    ['another name of this machine', { headers: { host: 'evil.example' } }, 'host_not_allowed'],
    ['a preflight', PREFLIGHT, 'origin_not_allowed'],
    ['a link to the console', follow(), undefined],
    ['a link to the first page', follow({}, '/'), undefined],
    ['a link to the docs', follow({}, '/docs/errors'), undefined],
    ['a link to a path that ends like a page', follow({}, '/api/docs'), 'origin_not_allowed'],
    ['a link to the API', follow({}, '/api/v1/sessions'), 'origin_not_allowed'],
    ['a link with an origin', follow({ origin: 'https://evil.example' }), 'origin_not_allowed'],
    ['a form', { ...follow(), method: 'POST' }, 'origin_not_allowed'],
    ['a frame', follow({ 'sec-fetch-dest': 'iframe' }), 'origin_not_allowed'],
    ['a script', follow({ 'sec-fetch-mode': 'no-cors' }), 'origin_not_allowed'],
  ])('is refused by a server without keys: %s', (_, over, code) => {
    expect(refusalOf(over)).toBe(code)
  })

  it('is let through to a server with keys, except for preflights, and if its origin is allowed', () => {
    expect(refusalOf({ headers: FOREIGN }, { isRequired: true })).toBeUndefined()
    expect(refusalOf({ headers: { host: 'evil.example' } }, { isRequired: true })).toBeUndefined()
    expect(refusalOf(PREFLIGHT, { isRequired: true })).toBe('origin_not_allowed')
    for (const isRequired of [true, false]) {
      expect(refusalOf(PREFLIGHT, { isRequired, allowed: ['https://evil.example'] })).toBeUndefined()
    }
    const { origin: _, ...withoutOrigin } = PREFLIGHT.headers
    const headers = { ...withoutOrigin, 'sec-fetch-site': 'cross-site' }
    expect(refusalOf({ method: 'OPTIONS', headers }, { isRequired: true })).toBeUndefined()
  })

  it('learns whether its origin can be listed in the settings', () => {
    const context = { keys: { isRequired: false }, config: { server: { cors_allowed_origins: [] } } }
    const refuse = (headers: object) => () =>
      refuseForeignPages(toRequest({ headers }), context as unknown as ServerContext)
    const details = (origin: string, canBeListed: boolean) =>
      expect.objectContaining({ details: { origin, canBeListed } })
    expect(refuse(FOREIGN)).toThrow(details('https://evil.example', true))
    expect(refuse({ origin: 'null' })).toThrow(details('null', false))
    expect(refuse({ 'sec-fetch-site': 'cross-site' })).toThrow(details('another site', false))
  })

  it('may use any name of a server that is not bound to this machine', () => {
    const headers = { host: 'box.example' }
    expect([refusalOf({ headers }), refusalOf({ headers }, { isLoopback: false })]).toEqual([
      'host_not_allowed',
      undefined,
    ])
  })
})

describe('its own page', () => {
  it.each<[object, boolean]>([
    [OWN, true],
    [{ ...OWN, origin: 'https://localhost:8080' }, true],
    [{ ...OWN, 'sec-fetch-site': 'same-origin' }, true],
    [{ 'sec-fetch-site': 'none' }, true],
    [{ 'sec-fetch-site': 'same-origin' }, true],
    [{ ...OWN, 'sec-fetch-site': 'same-site' }, false],
    [{ ...OWN, origin: 'http://localhost:8081' }, false],
    [{ origin: 'http://undefined' }, false],
  ])('is one with %j: %s', (headers, isOwn) => {
    expect(isOwnPage({ ...headers })).toBe(isOwn)
  })
})

describe('the CORS headers', () => {
  const ORIGIN = 'https://app.example.com'
  const answerTo = (over: object, settings: { allowed?: string[]; credentials?: boolean } = {}) => {
    const headers: Record<string, string> = {}
    let code = 0
    const reply = {
      header: (name: string, value: string) => Object.assign(headers, { [name]: value }),
      headers: (more: object) => Object.assign(headers, more),
      code: (status: number) => ({ send: () => (code = status) }),
    }
    const { allowed = [ORIGIN], credentials = false } = settings
    const isAnswered = handleCors(
      { request: toRequest(over), reply: reply as unknown as FastifyReply },
      { cors_allowed_origins: allowed, cors_allow_credentials: credentials, cors_max_age: 60 },
    )
    return { headers, code, isAnswered }
  }
  const preflight = (more: object = {}) => ({
    method: 'OPTIONS',
    headers: { origin: ORIGIN, 'access-control-request-method': 'POST', ...more },
  })

  it('are only for allowed origins', () => {
    for (const headers of [{}, { origin: 'https://evil.example' }]) {
      expect(answerTo({ headers })).toEqual({ headers: { vary: 'Origin' }, code: 0, isAnswered: false })
    }
    expect(answerTo({ headers: {} }, { allowed: ['*'] }).headers).toEqual({ vary: 'Origin' })
    const { headers, isAnswered } = answerTo({ headers: { origin: ORIGIN } })
    expect(headers).toEqual({
      ...{ vary: 'Origin', 'access-control-allow-origin': ORIGIN },
      'access-control-expose-headers': expect.stringMatching(
        /^X-Request-Id, .*, X-Drover-Backend, .*, X-Execution-Id, /,
      ),
    })
    expect(isAnswered).toBe(false)
  })

  it('name every origin only if no credentials are sent', () => {
    const originOf = (settings: object) => {
      const { headers } = answerTo({ headers: { origin: ORIGIN } }, settings)
      return [headers['access-control-allow-origin'], headers['access-control-allow-credentials']]
    }
    expect(originOf({ allowed: ['*'] })).toEqual(['*', undefined])
    expect(originOf({ allowed: ['*'], credentials: true })).toEqual([ORIGIN, 'true'])
    expect(originOf({ credentials: true })).toEqual([ORIGIN, 'true'])
  })

  it('answer a preflight, with the headers of the SDKs that the page asks for', () => {
    const asked = 'OpenAI-Beta, x-stainless-os ,x-evil, x-stainless-os, openai-\u00e4, openai-\u00e4x, my-openai-x'
    const { headers, code, isAnswered } = answerTo(preflight({ 'access-control-request-headers': asked }))
    expect([code, isAnswered, headers['access-control-max-age'], headers['content-length']]).toEqual([
      204,
      true,
      '60',
      '0',
    ])
    const allowed = headers['access-control-allow-headers']?.split(', ') ?? []
    expect(allowed.slice(-2)).toEqual(['openai-beta', 'x-stainless-os'])
    expect(allowed).toEqual(expect.arrayContaining(['authorization', 'x-api-key', 'content-type']))
    expect(answerTo(preflight()).headers['access-control-allow-headers']).toBe(allowed.slice(0, -2).join(', '))
  })

  it('of other requests answer nothing', () => {
    expect(answerTo({ ...preflight(), method: 'POST' }).isAnswered).toBe(false)
    expect(answerTo({ method: 'OPTIONS', headers: { origin: ORIGIN } }).isAnswered).toBe(false)
  })
})
