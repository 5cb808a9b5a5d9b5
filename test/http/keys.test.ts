import { createHash } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { registerHealth } from '../../src/http/meta/health.ts'
import { startServer } from '../support/start-server.ts'

const ONLY_HEALTH = { '': [registerHealth] }

const KEYS = { env: { DROVER_API_KEYS: 'alpha, beta' } }
const digestOf = (key: string) => createHash('sha256').update(key).digest('hex')

describe('a server with API keys', () => {
  it.each<[string, Record<string, string>, number]>([
    ['no key', {}, 401],
    ['X-Api-Key', { 'x-api-key': 'alpha' }, 200],
    ['another key', { 'x-api-key': 'beta' }, 200],
    ['Authorization: Bearer', { authorization: 'Bearer alpha' }, 200],
    ['a scheme in other letters', { authorization: 'bEaReR   beta ' }, 200],
    ['a wrong key', { 'x-api-key': 'gamma' }, 401],
    ['the beginning of a key', { 'x-api-key': 'alph' }, 401],
    ['the list as it stands', { 'x-api-key': 'alpha, beta' }, 401],
    ['another scheme', { authorization: 'Basic alpha' }, 401],
    ['no scheme', { authorization: 'alpha' }, 401],
    ['an empty X-Api-Key and a bearer', { 'x-api-key': '', authorization: 'Bearer alpha' }, 200],
    ['X-Api-Key before a wrong bearer', { 'x-api-key': 'alpha', authorization: 'Bearer no' }, 200],
    ['a wrong X-Api-Key before a bearer', { 'x-api-key': 'no', authorization: 'Bearer alpha' }, 401],
  ])('checks %s', async (_name, headers, status) => {
    const server = await startServer(KEYS)
    expect((await server.request('/api/v1/backends', { headers })).status).toBe(status)
  })

  it.each([
    ['/health', 200],
    ['/openapi.json', 404],
    ['/docs', 404],
    ['/docs/swagger-ui.css', 404],
    ['/metrics', 401],
    ['/api/v1/backends', 401],
    ['/api/v1/nothing', 401],
    ['/openai/v1/nothing', 401],
    ['/anthropic/v1/nothing', 401],
    ['/nothing', 401],
    ['/health/', 200],
    ['/healthy', 401],
    ['/docsx', 401],
    ['/%68ealth', 200],
    ['/%zz', 401],
    ['/docs/../metrics', 404],
    ['http://localhost/health', 200],
    ['http://localhost/metrics', 401],
    ['http://localhost/health@evil', 401],
  ])('answers %s without a key with %i', async (path, status) => {
    const isServed = async (method: string) =>
      (await (await startServer({ ...KEYS, routes: ONLY_HEALTH })).request(path, { method })).status
    expect([await isServed('GET'), await isServed('HEAD')]).toEqual([status, status])
  })

  it('serves public metrics without a key', async () => {
    const server = await startServer({ ...KEYS, server: { metrics_public: true }, routes: ONLY_HEALTH })
    expect((await server.request('/metrics')).status).toBe(404)
  })

  it('accepts keys by their digests in the config', async () => {
    const keys = [{ name: 'ci', sha256: digestOf('secret') }]
    const server = await startServer({ server: { keys } })
    const { status } = await server.request('/api/v1/backends', { headers: { 'x-api-key': 'secret' } })
    expect(status).toBe(200)
    expect(server.access[0]).toMatchObject({ key: 'ci' })
    expect((await server.request('/api/v1/backends', { headers: { 'x-api-key': digestOf('secret') } })).status).toBe(
      401,
    )
  })

  it('compares every byte of a digest', async () => {
    const right = digestOf('secret')
    const flip = (digit = '') => (Number.parseInt(digit, 16) ^ 1).toString(16)
    const others = [0, 1, 15, 31, 32, 62, 63].map((at) => right.slice(0, at) + flip(right[at]) + right.slice(at + 1))
    const keys = others.map((sha256, index) => ({ name: `other-${index}`, sha256 }))
    const server = await startServer({ server: { keys } })
    const { status } = await server.request('/api/v1/backends', { headers: { 'x-api-key': 'secret' } })
    expect(status).toBe(401)
  })

  it('combines all sources, and names an unnamed key by its digest', async () => {
    const server = await startServer({ ...KEYS, server: { keys: [{ name: 'ci', sha256: digestOf('secret') }] } })
    for (const key of ['secret', 'alpha']) await server.request('/health', { headers: { 'x-api-key': key } })
    expect(server.access.map(({ key }) => key)).toEqual(['ci', `key-${digestOf('alpha').slice(0, 8)}`])
    expect(server.done.map(({ keyName }) => keyName)).toEqual(['ci', `key-${digestOf('alpha').slice(0, 8)}`])
  })

  it('uses the name in the config for a key that another source has too', async () => {
    const keys = [{ name: 'ci', sha256: digestOf('secret') }]
    const server = await startServer({ env: { DROVER_API_KEYS: 'secret' }, server: { keys } })
    await server.request('/health', { headers: { 'x-api-key': 'secret' } })
    expect(server.access[0]).toMatchObject({ key: 'ci' })
  })

  it('reads no body before it has checked the key', async () => {
    const server = await startServer(KEYS)
    const { status } = await server.request('/api/v1/prompt', { method: 'POST', body: 'not JSON' })
    expect(status).toBe(401)
  })
})

describe('a server without API keys', () => {
  it('accepts every request', async () => {
    const server = await startServer()
    expect((await server.request('/api/v1/backends')).status).toBe(200)
    expect((await server.request('/api/v1/backends', { headers: { 'x-api-key': 'whatever' } })).status).toBe(200)
  })
})
