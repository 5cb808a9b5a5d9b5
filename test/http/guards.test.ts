/** The guards that every request passes: which one answers first, and whom each of them concerns. */
import { describe, expect, it } from 'vitest'
import type { RegisterRoutes } from '../../src/http/context/server-context.ts'
import { type ServerOptions, startServer } from '../support/start-server.ts'
import { until } from '../support/until.ts'

const [ADA, BOB] = [{ 'x-api-key': 'the-key-of-ada-lovelace' }, { 'x-api-key': 'the-key-of-bob-the-builder' }]
const KEYS = { DROVER_API_KEYS: [ADA, BOB].map((headers) => headers['x-api-key']).join() }
const PAGE = 'https://app.example.com'
const LIST = '/api/v1/executions'

const serve = (options: ServerOptions = {}) => startServer({ agents: 'none', env: KEYS, ...options })

describe('a request', () => {
  it('that is a preflight of an allowed page is answered without a key, and not counted', async () => {
    const server = { cors_allowed_origins: [PAGE], rate_limit_enabled: true, rate_limit_rps: 1, rate_limit_burst: 1 }
    const { request } = await serve({ server })
    const headers = { origin: PAGE, 'access-control-request-method': 'POST' }
    for (let at = 0; at < 3; at += 1) expect((await request(LIST, { method: 'OPTIONS', headers })).status).toBe(204)
    expect((await request(LIST, { headers: { ...ADA, origin: PAGE } })).headers).toMatchObject({
      'access-control-allow-origin': PAGE,
      'ratelimit-remaining': '0',
    })
  })

  it('of a page of another server is refused by a server without keys', async () => {
    const { request } = await serve({ env: {} })
    expect(await request(LIST, { headers: { origin: 'https://evil.example' } })).toMatchObject({
      status: 403,
      body: { error: 'origin_not_allowed' },
    })
    expect((await request(LIST)).status).toBe(200)
  })

  it('without a key learns nothing, not even which paths there are', async () => {
    const { request } = await serve()
    for (const path of [LIST, '/no/such/path']) expect((await request(path)).status).toBe(401)
    expect([(await request(LIST, { headers: ADA })).status, (await request('/no', { headers: ADA })).status]).toEqual([
      200, 404,
    ])
    expect((await request('/no', { headers: ADA })).body).toMatchObject({ error: 'not_found' })
    expect((await request('/health')).status).toBe(200)
  })

  it('is counted for its key, and for its address without one', async () => {
    const { request } = await serve({ server: { rate_limit_enabled: true, rate_limit_rps: 1, rate_limit_burst: 100 } })
    const left = async (headers: Record<string, string>) =>
      Number((await request(LIST, { headers })).headers['ratelimit-remaining'])
    expect(await left(ADA)).toBe(99)
    for (let at = 0; at < 20; at += 1) await left(ADA)
    expect(await left(ADA)).toBeLessThan(99)
    expect([await left(BOB), await left({})]).toEqual([99, 99])
  })

  it('of a stranger may have a short body only, and one of a known client a longer one', async () => {
    const { request } = await serve()
    const body = { key: 'x'.repeat(5000) }
    expect((await request('/api/v1/login', { method: 'POST', body })).status).toBe(413)
    expect((await request('/api/v1/login', { method: 'POST', body, headers: ADA })).status).not.toBe(413)
    const open = await serve({ env: {} })
    expect((await open.request('/api/v1/login', { method: 'POST', body })).status).not.toBe(413)
    const short = await serve({ server: { max_request_body_bytes: 100 } })
    expect((await short.request('/api/v1/prompt', { method: 'POST', body, headers: ADA })).status).toBe(413)
  })

  it('of a stranger has five seconds for its body, and one of a known client more', async () => {
    const { connect } = await serve()
    const [known, stranger] = [await connect(), await connect()]
    const send = (header: string) =>
      `POST /api/v1/login HTTP/1.1\r\nHost: localhost\r\n${header}Content-Length: 9\r\nExpect: 100-continue\r\n\r\n{`
    const started = performance.now()
    known.write(send(`X-Api-Key: ${ADA['x-api-key']}\r\n`))
    stranger.write(send(''))
    expect(await stranger.ended()).toMatch(/^HTTP\/1.1 100 Continue\r\n\r\nHTTP\/1.1 408 /)
    expect(performance.now() - started).toBeGreaterThan(4900)
    known.write('        ')
    await until(() => known.heard().includes('HTTP/1.1 400 '))
  })

  it('that announces a long body is refused before it sends it', async () => {
    const { connect } = await serve()
    const connection = await connect()
    const head =
      'POST /api/v1/login HTTP/1.1\r\nHost: localhost\r\nContent-Length: 5000\r\nExpect: 100-continue\r\n\r\n'
    connection.write(head)
    await until(() => connection.heard().includes('\r\n\r\n'))
    expect(connection.heard()).toMatch(/^HTTP\/1.1 413 /)
  })

  it('is refused by the limit that all servers share', async () => {
    const { request } = await serve({
      server: { rate_limit_enabled: true },
      changeStores: (opened) => ({ ...opened, rateLimits: { take: async () => 0 } as never }),
    })
    expect(await request(LIST, { headers: ADA })).toMatchObject({ status: 429, body: { error: 'too_many_requests' } })
  })

  it('that runs when the server shuts down is answered, and its connection is closed', async () => {
    const [begun, gate] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
    const slow: RegisterRoutes = (scope) => {
      scope.get('/slow', async (_request, reply) => {
        begun.resolve()
        await gate.promise
        return reply.send('done')
      })
    }
    const { request, shutdown } = await serve({ routes: { '': [slow] } })
    const answer = request('/slow', { headers: { ...ADA, connection: 'keep-alive' } })
    await begun.promise
    shutdown.abort()
    gate.resolve()
    expect(await answer).toMatchObject({ status: 200, headers: { connection: 'close' } })
  })

  it('with a path that cannot be decoded is refused like any other', async () => {
    const { request } = await serve()
    expect(await request('/%zz', { headers: ADA })).toMatchObject({
      status: 400,
      body: { error: 'request_malformed', message: expect.stringContaining('percent-encoding') },
    })
  })

  it('whose answer is not read is cut after the write timeout', async () => {
    const large: RegisterRoutes = (scope) => {
      scope.get('/large', async (_request, reply) => reply.send(Buffer.alloc(64 * 1024 * 1024)))
    }
    const server = await startServer({ server: { write_timeout_secs: 1 }, routes: { '': [large] } })
    const connection = await server.connect()
    connection.socket.pause()
    const started = performance.now()
    connection.write('GET /large HTTP/1.1\r\nHost: localhost\r\n\r\n')
    await until(() => server.access.length === 1)
    expect(server.access).toMatchObject([{ route: '/large', status: 200 }])
    expect(performance.now() - started).toBeGreaterThan(900)
  })

  it.each([
    ['another Host header', 'Host: b', 400],
    ['one in capitals', 'HOST: localhost', 400],
    ['a header with that value', 'X-Name: host', 200],
    ['a header whose name is longer', 'X-Host: b', 200],
    ['a header whose name is as long', 'From: host', 200],
  ])('with %s gets %3$i', async (_, header, status) => {
    const { connect } = await serve()
    const connection = await connect()
    connection.write(`GET /health HTTP/1.1\r\nHost: localhost\r\n${header}\r\nConnection: close\r\n\r\n`)
    expect(await connection.ended()).toMatch(new RegExp(`^HTTP/1.1 ${status} `))
  })

  it('is refused while the server shuts down, and its connection is closed', async () => {
    const { request, shutdown } = await serve()
    const headers = { ...ADA, connection: 'keep-alive' }
    expect((await request(LIST, { headers })).headers.connection).toBe('keep-alive')
    shutdown.abort()
    const answer = await request(LIST, { headers })
    expect(answer).toMatchObject({ status: 503, headers: { connection: 'close' }, body: { error: 'shutting_down' } })
  })
})
