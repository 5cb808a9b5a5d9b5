import { EventEmitter } from 'node:events'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { describe, expect, it } from 'vitest'
import { createKeyRing } from '../../config/key-ring.ts'
import { digest } from '../../kit/digest.ts'
import { randomIds } from '../../kit/ids.ts'
import { type Log, SILENT_LOG } from '../../kit/log.ts'
import { Logins } from '../context/logins.ts'
import type { ServerContext } from '../context/server-context.ts'
import { WrongKeys } from '../context/wrong-keys.ts'
import { checkSender, clearLoginCookie, delayWrongKey, setLoginCookie, wrongKeyIn } from './browser-login.ts'

const KEY = 'a-key-that-is-long-enough'
const LOGIN = { token: 't', secret: 's' }

function setUp({ isRequired = true } = {}) {
  const keys = createKeyRing({ isRequired })
  const key = { digest: digest(KEY), id: 'ci', name: 'ci', role: 'client' as const, rateLimit: {}, ceilings: {} }
  keys.replace([key])
  const logins = new Logins({ clock: { now: () => new Date(0) }, ids: randomIds, keys, log: {} as Log })
  const { token, secret } = logins.useKey(KEY) ?? LOGIN
  const wrongKeys = { check: (address: string, keyId?: string) => ({ address, keyId }) }
  const context = { keys, logins, wrongKeys } as unknown as ServerContext
  const page = { cookie: `a=b; drover_login_8080=${token}; c`, 'x-drover-page-secret': secret, host: 'h:8080' }
  return { context, logins, token, secret, page }
}

function toRequest(headers: object, over: object = {}): FastifyRequest {
  const facts = { address: '192.0.2.1', isLocalUser: false }
  return { headers, facts, raw: { socket: { localPort: 8080 } }, ...over } as unknown as FastifyRequest
}

describe('the sender of a request', () => {
  it('is known by a login of the page', () => {
    const { context, page, token, secret } = setUp()
    const request = toRequest(page)
    expect(checkSender(request, context)).toMatchObject({ result: 'valid', key: { name: 'ci' } })
    expect(request.facts.login).toEqual({ token, secret })
  })

  it.each<[string, (page: Record<string, string>) => object]>([
    ['without the secret of the page', ({ cookie }) => ({ cookie })],
    ['with two secrets', (page) => ({ ...page, 'x-drover-page-secret': ['a', 'b'] })],
    ['with the wrong secret', (page) => ({ ...page, 'x-drover-page-secret': 'wrong' })],
    ['without the cookie', ({ cookie: _, ...page }) => page],
    ['with an empty cookie', (page) => ({ ...page, cookie: 'drover_login_8080=' })],
    ['with the cookie of another port', (page) => ({ ...page, cookie: page['cookie']?.replace('8080', '8081') })],
    ['from the page of another site', (page) => ({ ...page, 'sec-fetch-site': 'cross-site' })],
    ['from another origin', (page) => ({ ...page, origin: 'http://evil.example' })],
  ])('is not known %s', (_, change) => {
    const { context, page } = setUp()
    const request = toRequest(change(page))
    expect(checkSender(request, context)).toEqual({ result: 'missing' })
    expect(request.facts.login).toBeUndefined()
  })

  it('is known by a key rather than by a login', () => {
    const { context, page } = setUp()
    for (const [key, result] of [
      [KEY, 'valid'],
      ['wrong', 'invalid'],
    ]) {
      const request = toRequest({ ...page, 'x-api-key': key })
      expect(checkSender(request, context).result).toBe(result)
      expect(request.facts.login).toBeUndefined()
    }
  })

  it('needs no login at a server without keys', () => {
    const { context, page } = setUp({ isRequired: false })
    expect(checkSender(toRequest(page), context)).toEqual({ result: 'missing' })
  })

  it('is not known by a login that has ended', () => {
    const { context, page, logins, token, secret } = setUp()
    logins.end({ token, secret })
    expect(checkSender(toRequest(page), context)).toEqual({ result: 'missing' })
  })
})

describe('a wrong key', () => {
  it('is looked for by address, unless no key is needed or the sender is on this machine', () => {
    const { context } = setUp()
    expect(wrongKeyIn(toRequest({}), 'ci', context)).toEqual({ address: '192.0.2.1', keyId: 'ci' })
    for (const facts of [{ isLocalUser: true, address: '192.0.2.1' }, { address: 'local' }]) {
      expect(wrongKeyIn(toRequest({}, { facts }), undefined, context)).toBeUndefined()
    }
    expect(wrongKeyIn(toRequest({}), undefined, setUp({ isRequired: false }).context)).toBeUndefined()
  })
})

describe('the answer to a wrong key', () => {
  const wait = (wrong: { delayMs: number; isChecked: boolean }) => {
    const raw = new EventEmitter()
    const context = { wrongKeys: new WrongKeys({ log: SILENT_LOG }), drainDeadline: new AbortController().signal }
    return { raw, waiting: delayWrongKey(wrong, { raw } as never, context as unknown as ServerContext) }
  }

  it('is refused if the key was not checked', async () => {
    await expect(wait({ delayMs: 9, isChecked: false }).waiting).rejects.toMatchObject({ code: 'too_many_wrong_keys' })
  })

  it('is not waited for when the client is gone', async () => {
    const { raw, waiting } = wait({ delayMs: 3_600_000, isChecked: true })
    raw.emit('close')
    await waiting
  })
})

describe('the cookie of a login', () => {
  const cookieOf = (write: (reply: FastifyReply) => void) => {
    const set: string[] = []
    write({ header: (name: string, value: string) => set.push(`${name}: ${value}`) } as unknown as FastifyReply)
    return set
  }

  it('is for this port and its own pages only, and is sent over TLS only if it was set so', () => {
    const cookie = 'set-cookie: drover_login_8080=t; Path=/; Max-Age=9; HttpOnly; SameSite=Strict'
    const login = { ...LOGIN, maxAgeSecs: 9 }
    const set = (protocol: string) => cookieOf((reply) => setLoginCookie(toRequest({}, { protocol }), reply, login))
    expect(set('http')).toEqual([cookie])
    expect(set('https')).toEqual([`${cookie}; Secure`])
  })

  it('is removed', () => {
    expect(cookieOf((reply) => clearLoginCookie(toRequest({}, { protocol: 'http' }), reply))).toEqual([
      'set-cookie: drover_login_8080=; Path=/; Max-Age=0; HttpOnly; SameSite=Strict',
    ])
  })

  it('has the port 0 on a socket', () => {
    const raw = { socket: {} }
    expect(cookieOf((reply) => clearLoginCookie(toRequest({}, { raw }), reply))[0]).toContain('drover_login_0=;')
  })
})
