import fc from 'fast-check'
import Fastify from 'fastify'
import { describe, expect, it } from 'vitest'
import type { ApiKey, KeyRing } from '../../config/api-keys.ts'
import {
  bearerToken,
  bodyLimitFor,
  checkKey,
  clientAddress,
  type KeyCheck,
  readTrace,
  requestIdFrom,
  requireKey,
  trustedProxies,
} from './identify.ts'

/** The address that an endpoint sees, through Fastify's own reading of `X-Forwarded-For`. */
async function addressBehind(trusted: readonly string[], peer: string, forwardedFor?: string): Promise<string> {
  const app = Fastify({ trustProxy: trustedProxies(trusted) })
  app.get('/', async (request) => clientAddress(request))
  const headers = forwardedFor === undefined ? {} : { 'x-forwarded-for': forwardedFor }
  return (await app.inject({ url: '/', remoteAddress: peer, headers })).body
}

describe('clientAddress', () => {
  it.each<[string, string[], string, string | undefined, string]>([
    ['the peer without proxies', [], '1.1.1.1', undefined, '1.1.1.1'],
    ['the peer if it is not trusted', [], '1.1.1.1', '2.2.2.2', '1.1.1.1'],
    ['the entry of a trusted proxy', ['1.1.1.1'], '1.1.1.1', '2.2.2.2', '2.2.2.2'],
    ['the entry of a proxy in a trusted range', ['1.1.0.0/16'], '1.1.9.9', '2.2.2.2', '2.2.2.2'],
    ['the rightmost untrusted entry', ['1.1.1.1'], '1.1.1.1', '9.9.9.9, 2.2.2.2', '2.2.2.2'],
    ['the client behind two trusted proxies', ['10.0.0.0/8'], '10.0.0.1', '3.3.3.3, 10.0.0.2', '3.3.3.3'],
    ['the leftmost entry if all are trusted', ['10.0.0.0/8'], '10.0.0.1', '10.0.0.3, 10.0.0.2', '10.0.0.3'],
    ['the proxy before an entry that is not an address', ['10.0.0.0/8'], '10.0.0.1', '3.3.3.3, nonsense', '10.0.0.1'],
    ['the proxy without the header', ['10.0.0.1'], '10.0.0.1', undefined, '10.0.0.1'],
    ['an address without its port', ['10.0.0.1'], '10.0.0.1', '2.2.2.2:443', '2.2.2.2'],
    ['IPv6 in brackets', ['10.0.0.1'], '10.0.0.1', '[2001:db8::1]:443', '2001:db8::1'],
    ['IPv6 through an IPv6 proxy', ['fd00::/8'], 'fd00::1', '2001:db8::1', '2001:db8::1'],
    ['IPv4 written as IPv6', ['10.0.0.0/8'], '::ffff:10.0.0.1', '::ffff:2.2.2.2', '2.2.2.2'],
    ['an address without its zone', [], 'fe80::1%eth0', undefined, 'fe80::1'],
    ['the last proxy before such an entry', ['10.0.0.0/8'], '10.0.0.1', 'nonsense, 10.0.0.2', '10.0.0.2'],
    ['IPv6 in brackets without a port', ['10.0.0.1'], '10.0.0.1', '[2001:db8::1]', '2001:db8::1'],
    ['IPv4 with long numbers written as IPv6', ['10.0.0.1'], '10.0.0.1', '::FFFF:22.2.2.2', '22.2.2.2'],
    ['IPv6 that contains the prefix', ['10.0.0.1'], '10.0.0.1', '1::ffff:2.2.2.2', '1::ffff:2.2.2.2'],
    ...['x[2001:db8::1]', '[2001:db8::1]x', 'x2.2.2.2:443', '2.2.2.2:443x'].map(
      (text): [string, string[], string, string, string] => [
        `the proxy before ${text}`,
        ['10.0.0.1'],
        '10.0.0.1',
        text,
        '10.0.0.1',
      ],
    ),
  ])('is %s', async (_name, trusted, peer, forwardedFor, expected) => {
    expect(await addressBehind(trusted, peer, forwardedFor)).toBe(expected)
  })

  it('is read from no header without trusted proxies', () => {
    expect(trustedProxies([])).toBe(false)
  })

  it('is "local" on a Unix socket, which has no address and is never a trusted proxy', () => {
    const isTrusted = trustedProxies(['0.0.0.0/0', '::/0'])
    expect(isTrusted).toBeTypeOf('function')
    expect((isTrusted as (address?: string) => boolean)(undefined)).toBe(false)
    expect(clientAddress({ ip: undefined })).toBe('local')
    expect(clientAddress({ ip: undefined, ips: [undefined] })).toBe('local')
  })

  it('cannot be forged: entries of the client are to the left of what a trusted proxy adds', async () => {
    const client = fc.ipV4()
    await fc.assert(
      fc.asyncProperty(fc.string(), client, async (forged, address) => {
        fc.pre(!address.startsWith('10.'))
        expect(await addressBehind(['10.0.0.0/8'], '10.0.0.1', `${forged}, ${address}`)).toBe(address)
      }),
    )
  })

  it('accepts any header', async () => {
    await fc.assert(
      fc.asyncProperty(fc.string(), async (header) => {
        expect(await addressBehind(['0.0.0.0/0', '::/0'], '10.0.0.1', header)).not.toBe('')
      }),
    )
  })
})

const TRACE = '0af7651916cd43dd8448eb211c80319c'
const PARENT = 'b7ad6b7169203331'

describe('readTrace', () => {
  it.each([
    ['version 00', `00-${TRACE}-${PARENT}-01`],
    ['a later version', `01-${TRACE}-${PARENT}-00`],
    ['a later version with more fields', `cc-${TRACE}-${PARENT}-01-what-the-future-brings`],
  ])('accepts %s', (_name, traceparent) => {
    expect(readTrace({ traceparent })).toEqual({ traceparent, traceId: TRACE })
  })

  it.each([
    ['nothing', undefined],
    ['several headers', `00-${TRACE}-${PARENT}-01, 00-${TRACE}-${PARENT}-01`],
    ['an empty text', ''],
    ['version ff', `ff-${TRACE}-${PARENT}-01`],
    ['more fields in version 00', `00-${TRACE}-${PARENT}-01-x`],
    ['a trace id of zeros', `00-${'0'.repeat(32)}-${PARENT}-01`],
    ['a parent id of zeros', `00-${TRACE}-${'0'.repeat(16)}-01`],
    ['capitals', `00-${TRACE.toUpperCase()}-${PARENT}-01`],
    ['a short trace id', `00-${TRACE.slice(1)}-${PARENT}-01`],
    ['trailing text', `00-${TRACE}-${PARENT}-01\n`],
    ['a very long text', `01-${TRACE}-${PARENT}-01-${'x'.repeat(500)}`],
  ])('ignores %s', (_name, header) => {
    expect(readTrace({ ...(header !== undefined && { traceparent: header }), tracestate: 'a=1' })).toBeUndefined()
  })

  it.each<[string, string, boolean]>([
    ['one member', 'rojo=00f067aa0ba902b7', true],
    ['several members, with spaces and empty ones', 'a=1, b@c=x y ,, d/e*_-=!', true],
    ['32 members', Array.from({ length: 32 }, (_, at) => `k${at}=1`).join(), true],
    ['33 members', Array.from({ length: 33 }, (_, at) => `k${at}=1`).join(), false],
    ['a value of 256 characters', `a=${'x'.repeat(256)}`, true],
    ['a value of 257 characters', `a=${'x'.repeat(257)}`, false],
    ['nothing', '', false],
    ['commas only', ',,', false],
    ['a key without a value', 'a', false],
    ['an empty value', 'a=', false],
    ['a capital in the key', 'A=1', false],
    ['a control character', 'a=1\u0007', false],
  ])('reads a tracestate of %s', (_name, tracestate, isValid) => {
    const traceparent = `00-${TRACE}-${PARENT}-01`
    expect(readTrace({ traceparent, tracestate })?.tracestate).toBe(isValid ? tracestate : undefined)
  })

  it('accepts every valid header', () => {
    const hex = (length: number) =>
      fc.string({ unit: fc.constantFrom(...'0123456789abcdef'), minLength: length, maxLength: length })
    fc.assert(
      fc.property(hex(32), hex(16), hex(2), (traceId, parentId, flags) => {
        fc.pre(/[^0]/.test(traceId) && /[^0]/.test(parentId))
        const traceparent = `00-${traceId}-${parentId}-${flags}`
        expect(readTrace({ traceparent })).toEqual({ traceparent, traceId })
      }),
    )
  })
})

describe('bearerToken', () => {
  it.each<[string | undefined, string | undefined]>([
    ['Bearer abc', 'abc'],
    ['bearer abc', 'abc'],
    ['BEARER \t abc \t', 'abc'],
    ['Bearer a b', 'a b'],
    ['Bearer', undefined],
    ['Bearer ', undefined],
    ['Bearerabc', undefined],
    ['Basic abc', undefined],
    [' Bearer abc', undefined],
    [undefined, undefined],
  ])('finds in %j the token %j', (header, token) => {
    expect(bearerToken(header)).toBe(token)
  })

  it('finds every valid key', () => {
    const key = fc.string({
      unit: fc.integer({ min: 0x21, max: 0x7e }).map((code) => String.fromCharCode(code)),
      minLength: 1,
    })
    fc.assert(fc.property(key, (text) => void expect(bearerToken(`Bearer ${text}`)).toBe(text)))
  })

  it('is fast for many blanks', () => {
    expect(bearerToken(`Bearer ${' '.repeat(16_000)}x\n`)).toBeUndefined()
  })
})

const OPEN = [
  '/',
  '/console/',
  '/console/a/b',
  '/api/v1/login',
  '/health',
  '/ready',
  '/openapi.json',
  '/docs',
  '/docs/a',
  '/docs/errors',
]
const CLOSED = [
  '/console',
  '/api/v1/logins',
  '/x/health',
  '/healthy',
  '/docsx',
  '/api/v1/prompt',
  '/openapi.json/x',
  '/v1',
]

describe('a key', () => {
  const key = { id: 'k', name: 'ci' } as ApiKey
  const ring = (isRequired: boolean) => ({ isRequired, find: (text: string) => (text === 'right' ? key : undefined) })
  const needs = (path: string, check: KeyCheck, { isRequired = true, isMetricsPublic = false } = {}) => {
    try {
      requireKey({ path, check }, { keys: ring(isRequired) as unknown as KeyRing, isMetricsPublic })
      return false
    } catch (error) {
      return (error as { details: { problem: string } }).details.problem
    }
  }

  it.each(OPEN)('is not needed for %s', (path) => {
    expect(needs(path, { result: 'missing' })).toBe(false)
    expect(needs(path, { result: 'invalid' })).toBe(false)
  })

  it.each([...CLOSED, '/metrics'])('is needed for %s, if the server has keys', (path) => {
    expect(needs(path, { result: 'missing' })).toBe('missing')
    expect(needs(path, { result: 'invalid' })).toBe('invalid')
    expect(needs(path, { result: 'valid', key })).toBe(false)
    expect(needs(path, { result: 'missing' }, { isRequired: false })).toBe(false)
    expect(needs(path, { result: 'missing' }, { isMetricsPublic: true })).toBe(path === '/metrics' ? false : 'missing')
  })

  it.each<[object, string]>([
    [{}, 'missing'],
    [{ 'x-api-key': 'right' }, 'valid'],
    [{ 'x-api-key': 'wrong' }, 'invalid'],
    [{ authorization: 'Bearer right' }, 'valid'],
    [{ 'x-api-key': 'right', authorization: 'Bearer wrong' }, 'valid'],
    [{ 'x-api-key': '', authorization: 'Bearer right' }, 'valid'],
    [{ 'x-api-key': ['right'], authorization: 'Bearer wrong' }, 'invalid'],
    [{ 'x-api-key': '' }, 'missing'],
  ])('in %j is %s', (headers, result) => {
    expect(checkKey({ ...headers }, ring(true) as unknown as KeyRing).result).toBe(result)
  })
})

describe('a body', () => {
  it('of a stranger to an open endpoint is short', () => {
    for (const path of OPEN) {
      expect([0, 100, 9999].map((limitBytes) => bodyLimitFor(path, { isKnown: false, limitBytes }))).toEqual([
        4096, 100, 4096,
      ])
      expect(bodyLimitFor(path, { isKnown: true, limitBytes: 9999 })).toBe(9999)
    }
    for (const path of CLOSED) expect(bodyLimitFor(path, { isKnown: false, limitBytes: 9999 })).toBe(9999)
  })
})

describe('a request id', () => {
  it.each<[object, boolean]>([
    [{ 'x-request-id': 'a' }, true],
    [{ 'x-request-id': 'Az09._:/+=@-' }, true],
    [{ 'x-request-id': 'a.'.repeat(64) }, true],
    [{ 'x-request-id': `${'a.'.repeat(64)}a` }, false],
    [{ 'x-request-id': '' }, false],
    [{ 'x-request-id': 'a b' }, false],
    [{ 'x-request-id': ' a' }, false],
    [{ 'x-request-id': ['a', 'b'] }, false],
    [{ 'x-request-id': ['a'] }, false],
    [{}, false],
    [{ 'x-request-id': 'sk-ant-api03-abcdefghijklmnopqrstuvwxyz' }, false],
    [{ 'x-request-id': 'is-my-key-here', 'x-api-key': 'my-key' }, false],
    [{ 'x-request-id': 'is-my-key-here', authorization: 'Bearer my-key' }, false],
    [{ 'x-request-id': 'a', 'x-api-key': '' }, true],
    [{ 'x-request-id': 'undefined' }, true],
    [{ 'x-request-id': 'a', 'x-api-key': 'other', authorization: 'Bearer another' }, true],
  ])('in %j is taken: %s', (headers, isTaken) => {
    const { 'x-request-id': id } = headers as { 'x-request-id'?: string }
    expect(requestIdFrom({ ...headers })).toBe(isTaken ? id : undefined)
  })

  it('is missing without a header', () => {
    expect(requestIdFrom({})).toBeUndefined()
  })
})
