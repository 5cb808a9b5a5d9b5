import { describe, expect, it } from 'vitest'
import { openStream } from '../support/read-stream.ts'
import { type ServerOptions, startServer } from '../support/start-server.ts'

const WITH_KEYS: ServerOptions = { env: { DROVER_API_KEYS: 'k' } }
const PAGE = 'http://localhost:3000'
const LISTED = { cors_allowed_origins: [PAGE] }

const preflight = (headers: Record<string, string> = {}) => ({
  method: 'OPTIONS',
  headers: { origin: PAGE, 'access-control-request-method': 'POST', ...headers },
})

describe('a preflight', () => {
  it('is answered before the API key and the rate limit are checked', async () => {
    const limits = { rate_limit_enabled: true, rate_limit_rps: 1, rate_limit_burst: 1 }
    const server = await startServer({ ...WITH_KEYS, server: { ...limits, ...LISTED } })
    for (const _ of [1, 2, 3]) {
      const { status, headers, text } = await server.request('/api/v1/prompt', preflight())
      expect({ status, text }).toEqual({ status: 204, text: '' })
      expect(headers).toMatchObject({
        'access-control-allow-origin': PAGE,
        'access-control-allow-methods': 'GET, HEAD, POST, PATCH, DELETE',
        'access-control-max-age': '300',
        vary: 'Origin',
      })
    }
  })

  it('allows the headers that SDKs send, and no others', async () => {
    const server = await startServer({ server: LISTED })
    const asked = 'X-Stainless-OS, openai-organization, x-evil, authorization, x-stainless-os, x-stainless-\u00e4'
    const { headers } = await server.request(
      '/openai/v1/models',
      preflight({ 'access-control-request-headers': asked }),
    )
    expect(headers['access-control-allow-headers']).toBe(
      'accept, anthropic-beta, anthropic-dangerous-direct-browser-access, anthropic-version, authorization, ' +
        'cache-control, content-type, idempotency-key, last-event-id, prefer, traceparent, tracestate, x-api-key, x-drover-agent-tools, x-drover-session, x-drover-workdir, ' +
        'x-request-id, x-stainless-os, openai-organization',
    )
  })

  it.each([[{}], [WITH_KEYS]])(
    'of an origin that is not allowed is refused without CORS headers: %j',
    async (options) => {
      const server = await startServer(options)
      const { status, headers, body } = await server.request('/health', preflight({ origin: 'https://evil.example' }))
      expect({ status, body }).toMatchObject({ status: 403, body: { error: 'origin_not_allowed' } })
      expect(Object.keys(headers).filter((name) => name.startsWith('access-control'))).toEqual([])
    },
  )

  it.each([
    ['https://evil.example', 'add the origin to server.cors_allowed_origins'],
    ['chrome-extension://abcdef', 'add the origin to server.cors_allowed_origins'],
    ['null', 'such an origin cannot be allowed'],
    ['https://a.example https://b.example', 'such an origin cannot be allowed'],
  ])('of %s is refused with advice that the configuration accepts', async (origin, advice) => {
    const server = await startServer()
    const { body } = await server.request('/health', preflight({ origin }))
    expect(body).toMatchObject({ error: 'origin_not_allowed', message: expect.stringContaining(advice) })
    const settings = startServer({ server: { cors_allowed_origins: [origin] } })
    if (advice.startsWith('add')) await settings
    else await expect(settings).rejects.toThrow('cors_allowed_origins')
  })
})

describe('CORS headers', () => {
  const EXPOSED =
    'X-Request-Id, Retry-After, RateLimit-Limit, RateLimit-Remaining, RateLimit-Reset, Traceparent, ' +
    'X-Drover-Backend, X-Drover-Warning, X-Drover-Session, X-Drover-Error, Request-Id, X-Execution-Id, Idempotency-Replayed'

  it.each<[number, string, ServerOptions, object]>([
    [200, '/health', {}, {}],
    [401, '/api/v1/backends', WITH_KEYS, {}],
    [404, '/nothing', {}, {}],
    [405, '/health', {}, { method: 'POST' }],
    [413, '/health', { server: { max_request_body_bytes: 1 } }, { body: 'xx', method: 'POST' }],
  ])('are also on a %i', async (status, path, options, call) => {
    const server = await startServer({ ...options, server: { ...options.server, ...LISTED } })
    const answer = await server.request(path, { headers: { origin: PAGE }, ...call })
    expect(answer.status).toBe(status)
    expect(answer.headers).toMatchObject({
      'access-control-allow-origin': PAGE,
      'access-control-expose-headers': EXPOSED,
    })
    expect(answer.headers['access-control-allow-credentials']).toBeUndefined()
  })

  it('allow credentials if the config does', async () => {
    const server = await startServer({ server: { ...LISTED, cors_allow_credentials: true } })
    const { headers } = await server.request('/health', { headers: { origin: PAGE } })
    expect(headers).toMatchObject({ 'access-control-allow-credentials': 'true', 'access-control-allow-origin': PAGE })
  })

  it('are * if every origin is allowed', async () => {
    const server = await startServer({ server: { cors_allowed_origins: ['*'] } })
    const { headers } = await server.request('/health', { headers: { origin: 'https://any.example' } })
    expect(headers['access-control-allow-origin']).toBe('*')
  })

  it('are missing if the origin is not allowed, even with a valid key', async () => {
    const server = await startServer(WITH_KEYS)
    const headers = { origin: 'https://evil.example', 'x-api-key': 'k' }
    const answer = await server.request('/api/v1/backends', { headers })
    expect([answer.status, answer.headers['access-control-allow-origin']]).toEqual([200, undefined])
  })
})

const OTHER_PORTS = [
  ...['http://localhost:5173', 'http://127.0.0.1:9', 'http://[::1]:3000', 'http://app.localhost:3000'],
  ...['http://localhost', 'http://127.0.0.1', 'https://localhost:8443'],
]

describe('a page', () => {
  it.each([{}, WITH_KEYS])('of another port of this machine reads nothing and starts no agent: %j', async (options) => {
    const server = await startServer(options)
    const prompt = JSON.stringify({ backend: 'claude', prompt: 'do harm', approval_mode: 'none' })
    const isOpen = options.env === undefined
    for (const origin of OTHER_PORTS) {
      const answers = [
        await server.request('/api/v1/prompt', preflight({ origin })),
        await server.request('/api/v1/executions', { headers: { origin } }),
        await server.request('/api/v1/events', { headers: { origin, accept: 'text/event-stream' } }),
        await server.request('/api/v1/prompt', { method: 'POST', body: prompt, headers: { origin } }),
      ]
      expect(answers.map(({ status }) => status)).toEqual(isOpen ? [403, 403, 403, 403] : [403, 401, 401, 401])
      expect(answers.flatMap(({ headers }) => Object.keys(headers)).join()).not.toContain('access-control')
      expect(answers[0]?.body).toMatchObject({
        error: 'origin_not_allowed',
        message: expect.stringContaining('drover config set server.cors_allowed_origins ORIGIN'),
      })
    }
    expect(await server.context.drover.opened.executions.list({}, { limit: 1 })).toMatchObject({ executions: [] })
  })

  it.each<[string, number]>([
    ['http://localhost:5173', 200],
    ['http://localhost', 200],
    ['http://127.0.0.1:9', 403],
    ['https://evil.example', 403],
    ['http://localhost.evil.example:80', 403],
    ['http://localhost:1@evil.example', 403],
    ['null', 403],
  ])('of %s is answered with %i where http://localhost:* is listed', async (origin, status) => {
    const server = await startServer({ server: { cors_allowed_origins: ['http://localhost:*'] } })
    expect((await server.request('/health', { headers: { origin } })).status).toBe(status)
  })

  it('of the console may call the server under every name of this machine', async () => {
    const server = await startServer({ agents: 'demo' })
    const body = { backend: 'claude', prompt: 'hi', dry_run: true }
    for (const name of ['localhost', '127.0.0.1', '[::1]', 'app.localhost']) {
      const host = `${name}:${server.port}`
      const headers = { host, origin: `http://${host}` }
      expect((await server.request('/api/v1/executions', { headers })).status).toBe(200)
      expect((await server.request('/api/v1/prompt', { method: 'POST', body, headers })).status).toBe(200)
    }
  })

  it('that the server itself serves may call it', async () => {
    const server = await startServer({ server: { cors_allowed_origins: ['https://other.example'] } })
    const headers = { origin: server.url, host: new URL(server.url).host }
    expect((await server.request('/health', { headers })).status).toBe(200)
  })

  it.each(['cross-site', 'same-site'])(
    'of a %s that sends no origin takes no open request of the user',
    async (site) => {
      const server = await startServer({ server: { max_open_requests_per_key: 1 } })
      const image = { 'sec-fetch-site': site, 'sec-fetch-mode': 'no-cors', 'sec-fetch-dest': 'image' }
      const { status } = await openStream({ port: server.port, path: '/api/v1/events', method: 'GET', headers: image })
      expect(status).toBe(403)
      expect((await server.request('/api/v1/executions')).status).toBe(200)
    },
  )

  const LINK = { 'sec-fetch-mode': 'navigate', 'sec-fetch-dest': 'document' }

  it.each<[number, string, string, object]>([
    [403, 'GET', '/api/v1/executions', LINK],
    [403, 'GET', '/health', { 'sec-fetch-mode': 'no-cors', 'sec-fetch-dest': 'script' }],
    [403, 'GET', '/', { 'sec-fetch-mode': 'no-cors', 'sec-fetch-dest': 'image' }],
    [403, 'GET', '/', { 'sec-fetch-mode': 'navigate', 'sec-fetch-dest': 'iframe' }],
    [403, 'POST', '/', LINK],
    [200, 'GET', '/', LINK],
    [200, 'GET', '/docs', LINK],
  ])('of another site gets %i for %s %s with %j', async (status, method, path, mode) => {
    const server = await startServer()
    const answer = await server.request(path, { method, headers: { 'sec-fetch-site': 'cross-site', ...mode } })
    expect(answer.status).toBe(status)
    if (status === 403) expect(answer.body).toMatchObject({ error: 'origin_not_allowed' })
  })

  it.each<[string, ServerOptions]>([
    ['of this server', {}],
    ['of a listed origin', { server: LISTED }],
    ['of any origin where all are allowed', { server: { cors_allowed_origins: ['*'] } }],
    ['of any origin where there are keys', WITH_KEYS],
  ])('%s may send requests that say where they come from', async (name, options) => {
    const server = await startServer(options)
    const site = { 'sec-fetch-site': name === 'of this server' ? 'same-origin' : 'same-site' }
    const origin = name === 'of a listed origin' ? { origin: PAGE } : {}
    const headers = { ...site, ...origin, 'sec-fetch-mode': 'cors', 'x-api-key': 'k' }
    expect((await server.request('/api/v1/executions', { headers })).status).toBe(200)
  })

  it('cannot send a prompt in a body without media type', async () => {
    const server = await startServer()
    const body = JSON.stringify({ backend: 'claude', prompt: 'do harm' })
    const { status } = await server.request('/api/v1/prompt', {
      method: 'POST',
      body,
      headers: { origin: 'https://evil.example' },
    })
    expect(status).toBe(403)
  })
})

describe('without keys, on a loopback address, the host', () => {
  it.each<[string, number]>([
    ['localhost', 200],
    ['LOCALHOST:8080', 200],
    ['app.localhost:80', 200],
    ['127.0.0.1:1', 200],
    ['127.9.9.9', 200],
    ['[::1]:8080', 200],
    ['localhost.', 200],
    ['evil.example', 403],
    ['localhost.evil.example', 403],
    ['127.0.0.1.evil.example', 403],
    ['192.168.1.5:8080', 403],
    ['[::2]', 403],
  ])('%j is answered with %i', async (host, status) => {
    const server = await startServer()
    expect((await server.request('/health', { headers: { host } })).status).toBe(status)
  })

  it.each<[string, ServerOptions]>([
    ['where there are keys', WITH_KEYS],
    ['on a public bind', { host: '0.0.0.0' }],
    ['on a Unix socket', { isOnSocket: true }],
  ])('may be any %s', async (_name, options) => {
    const server = await startServer(options)
    expect((await server.request('/health', { headers: { host: 'drover.example' } })).status).toBe(200)
  })

  it.each(['::1', '0::1', '::ffff:127.0.0.1', 'localhost'])('is also checked on the address %s', async (host) => {
    const server = await startServer({ host })
    expect((await server.request('/health', { headers: { host: 'evil.example' } })).status).toBe(403)
  })
})
