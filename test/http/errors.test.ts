import { once } from 'node:events'
import { describe, expect, it } from 'vitest'
import type { RegisterRoutes } from '../../src/http/context/server-context.ts'
import { defineFault, type FaultKind } from '../../src/kit/fault.ts'
import { queueFull } from '../../src/prompts/faults.ts'
import { type ServerOptions, startServer } from '../support/start-server.ts'
import { until } from '../support/until.ts'

const sessionGone = defineFault('session_gone', 'not_found', { when: '', message: () => 'it is gone' })

/** Routes that accept a body, and two that fail. */
const probe: RegisterRoutes = (scope) => {
  scope.get('/probe', async () => ({ fine: true }))
  scope.post('/probe', async ({ body }) => ({ got: body ?? null }))
  scope.get('/bug', async () => {
    throw new Error('a secret path /home/x is in here')
  })
  scope.get('/fault', async () => {
    throw sessionGone({ id: 7 })
  })
}

const ROUTES = { '/api/v1': [probe], '/openai/v1': [probe], '/anthropic/v1': [probe] }

const start = (options: ServerOptions = {}) => startServer({ routes: ROUTES, ...options })

type Case = {
  name: string
  options?: ServerOptions
  call: { method?: string; path: string; headers?: Record<string, string>; body?: unknown }
  status: number
  code: string
  message: string
  details?: unknown
  headers?: Record<string, string>
  /** The name and title of the problem type, and the error types of the two vendors. */
  problem: { name: string; title: string; chat: string; message: string; param?: string }
}

const CASES: Case[] = [
  {
    name: 'an unknown path',
    call: { path: '/nothing' },
    status: 404,
    code: 'not_found',
    message: 'no endpoint {prefix}/nothing; GET /docs lists all endpoints',
    details: { path: '{prefix}/nothing' },
    problem: { name: 'not-found', title: 'Not Found', chat: 'invalid_request_error', message: 'not_found_error' },
  },
  {
    name: 'an unsupported method',
    call: { path: '/probe', method: 'DELETE' },
    status: 405,
    code: 'method_not_allowed',
    message: '{prefix}/probe does not support DELETE; use GET, HEAD, POST',
    details: { method: 'DELETE', path: '{prefix}/probe', allow: ['GET', 'HEAD', 'POST'] },
    headers: { allow: 'GET, HEAD, POST' },
    problem: {
      name: 'method-not-allowed',
      title: 'Method Not Allowed',
      chat: 'invalid_request_error',
      message: 'invalid_request_error',
    },
  },
  {
    name: 'a body with another media type',
    call: { path: '/probe', method: 'POST', headers: { 'content-type': 'text/plain' }, body: '{}' },
    status: 415,
    code: 'media_type_unsupported',
    message: 'the request body is "text/plain"; send JSON with "Content-Type: application/json"',
    details: { media_type: 'text/plain' },
    problem: {
      name: 'media-type-unsupported',
      title: 'Media Type Unsupported',
      chat: 'invalid_request_error',
      message: 'invalid_request_error',
    },
  },
  {
    name: 'a body with invalid JSON',
    call: { path: '/probe', method: 'POST', body: '{"a": 1, "a": 2}' },
    status: 400,
    code: 'invalid_request',
    message: 'the request body is not usable JSON at $.a (line 1, column 10): the object has this key already',
    details: {
      input: 'the request body',
      reason: 'duplicate_key',
      problem: 'the object has this key already',
      place: { location: '$.a', line: 1, column: 10 },
    },
    problem: {
      name: 'invalid-request',
      title: 'Invalid Request',
      chat: 'invalid_request_error',
      message: 'invalid_request_error',
    },
  },
  {
    name: 'a missing key',
    options: { env: { DROVER_API_KEYS: 'one' } },
    call: { path: '/probe' },
    status: 401,
    code: 'unauthorized',
    message: 'missing API key; send it as "X-Api-Key: KEY" or "Authorization: Bearer KEY"',
    headers: { 'www-authenticate': 'Bearer realm="drover"' },
    problem: {
      name: 'unauthorized',
      title: 'Unauthorized',
      chat: 'authentication_error',
      message: 'authentication_error',
    },
  },
  {
    name: 'an invalid key',
    options: { env: { DROVER_API_KEYS: 'one' } },
    call: { path: '/probe', headers: { 'x-api-key': 'two' } },
    status: 401,
    code: 'unauthorized',
    message: 'invalid API key; check the key, or ask the operator of this server for one',
    headers: { 'www-authenticate': 'Bearer realm="drover"' },
    problem: {
      name: 'unauthorized',
      title: 'Unauthorized',
      chat: 'authentication_error',
      message: 'authentication_error',
    },
  },
  {
    name: 'a body over the limit',
    options: { server: { max_request_body_bytes: 5 } },
    call: { path: '/probe', method: 'POST', body: '[1,23]' },
    status: 413,
    code: 'request_too_large',
    message: 'the request body exceeds the limit of 5 bytes; send a smaller one',
    details: { limit_bytes: 5 },
    problem: {
      name: 'request-too-large',
      title: 'Request Too Large',
      chat: 'invalid_request_error',
      message: 'request_too_large',
    },
  },
  {
    name: 'a foreign host',
    call: { path: '/probe', headers: { host: 'evil.example' } },
    status: 403,
    code: 'host_not_allowed',
    message:
      'this server has no API keys and only accepts localhost as its host, not "evil.example"; use http://localhost, or set API keys',
    details: { host: 'evil.example' },
    problem: {
      name: 'host-not-allowed',
      title: 'Host Not Allowed',
      chat: 'invalid_request_error',
      message: 'permission_error',
    },
  },
  {
    name: 'a Fault of an endpoint',
    call: { path: '/fault' },
    status: 404,
    code: 'session_gone',
    message: 'it is gone',
    details: { id: 7 },
    problem: { name: 'session-gone', title: 'Session Gone', chat: 'invalid_request_error', message: 'not_found_error' },
  },
  {
    name: 'a bug in an endpoint',
    call: { path: '/bug' },
    status: 500,
    code: 'internal_error',
    message: 'internal error; the server log has the details under this request id',
    problem: { name: 'internal-error', title: 'Internal Error', chat: 'server_error', message: 'api_error' },
  },
]

const under = (prefix: string, value: unknown): unknown =>
  value === undefined ? undefined : JSON.parse(JSON.stringify(value).replaceAll('{prefix}', prefix))

async function errorOf({ options, call, status, headers }: Case, prefix: string) {
  const server = await start(options)
  const { path, ...wishes } = call
  const answer = await server.request(`${prefix}${path}`, wishes)
  expect(answer.status).toBe(status)
  expect(answer.headers).toMatchObject(headers ?? {})
  return answer
}

describe.each(CASES)('$name', (refused) => {
  const { code, message, details, status, problem } = refused

  it('is an error in the native format', async () => {
    const answer = await errorOf(refused, '/api/v1')
    expect(answer.headers['content-type']).toBe('application/json; charset=utf-8')
    expect(answer.body).toEqual(
      under('/api/v1', {
        ...{ error: code, message, retryable: false },
        ...(details !== undefined && { details }),
      }),
    )
  })

  it.each([
    ['/openai/v1', { type: problem.chat, code, param: null }],
    ['/anthropic/v1', { type: problem.message, code }],
  ])('is a problem under %s', async (prefix, error) => {
    const answer = await errorOf(refused, prefix)
    expect(answer.headers['content-type']).toBe('application/problem+json; charset=utf-8')
    const detail = under(prefix, message)
    const { name, title } = problem
    expect(answer.body).toEqual({
      type: `https://drover.dev/errors/${name}`,
      title,
      status,
      detail,
      error: { ...error, message: detail },
    })
  })
})

describe('a path without the prefix of its API', () => {
  it.each([
    ['/v1/prompt', '/api/v1/prompt'],
    ['/prompt', '/api/v1/prompt'],
  ])('%s is 404, with the suggestion %s', async (path, meant) => {
    const { status, body } = await (await startServer()).request(path, { method: 'POST', body: {} })
    const message = `no endpoint ${path}; did you mean ${meant}? GET /docs lists all endpoints`
    expect(status).toBe(404)
    expect(body).toMatchObject(path.startsWith('/v1') ? { detail: message } : { error: 'not_found', message })
  })

  it.each(['/s', '/completion'])('%s is 404 without a suggestion', async (path) => {
    const { body } = await (await startServer()).request(path)
    expect(body).toMatchObject({ message: `no endpoint ${path}; GET /docs lists all endpoints` })
  })
})

describe('a slash at the end of a path', () => {
  it('is ignored', async () => {
    const server = await startServer({ env: { DROVER_API_KEYS: 'one' } })
    const headers = { 'x-api-key': 'one', 'anthropic-version': '2023-06-01' }
    const get = async (path: string) => (await server.request(path, { headers })).status
    expect(
      await Promise.all(['/openai/v1/models/', '/api/v1/sessions/?limit=1', '/v1/models/codex/'].map(get)),
    ).toEqual([...[200, 200, 200]])
    const body = { model: 'claude', max_tokens: 1, dry_run: true, messages: [{ role: 'user', content: 'x' }] }
    for (const path of ['/openai/v1/chat/completions/', '/anthropic/v1/messages/?beta=true']) {
      expect((await server.request(path, { method: 'POST', headers, body })).status).toBe(200)
    }
  })

  it('changes nothing about which paths need a key', async () => {
    const server = await startServer({ env: { DROVER_API_KEYS: 'one' } })
    const get = async (path: string) => (await server.request(path)).status
    expect(await Promise.all(['/health/', '/openapi.json/', '/docs/'].map(get))).toEqual([...[200, 200, 308]])
    expect(await Promise.all(['/metrics/', '/api/v1/sessions/', '/health//'].map(get))).toEqual([401, 401, 401])
  })
})

describe('an error', () => {
  it('caused by a bug is logged with its stack', async () => {
    const server = await start()
    const { headers } = await server.request('/api/v1/bug')
    const [entry] = server.logged
    expect(entry).toMatchObject({ level: 'error', fields: { request_id: headers['x-request-id'] } })
    expect(entry?.fields['stack']).toContain('a secret path /home/x is in here')
  })

  it.each<[string, string, string]>([
    ['backend_execution_failed', 'internal', 'warn'],
    ['queue_full', 'unavailable', 'warn'],
    ['shutting_down', 'unavailable', 'info'],
    ['server_trouble', 'unavailable', 'error'],
  ])('with the code %s is logged without a stack', async (code, kind, level) => {
    const failing = defineFault(code, kind as FaultKind, { when: '', message: () => 'it is so' })
    const route: RegisterRoutes = (scope) => {
      scope.get('/failing', async () => {
        throw failing({})
      })
    }
    const server = await start({ routes: { '': [route] } })
    const { headers } = await server.request('/failing')
    expect(server.logged).toEqual([
      {
        level,
        message: expect.any(String),
        fields: { request_id: headers['x-request-id'], error: code, reason: 'it is so' },
      },
    ])
  })

  it('after the client has disconnected is only logged as info', async () => {
    const reached = Promise.withResolvers<void>()
    const failing = defineFault('agent_gone', 'unavailable', { when: '', message: () => 'it has gone' })
    const route: RegisterRoutes = (scope) => {
      scope.get('/failing', async (_request, reply) => {
        reached.resolve()
        await once(reply.raw, 'close')
        throw failing({})
      })
    }
    const server = await start({ routes: { '': [route] } })
    const connection = await server.connect()
    connection.write('GET /failing HTTP/1.1\r\nHost: localhost\r\n\r\n')
    await reached.promise
    connection.socket.destroy()
    await until(() => server.logged.length === 1)
    expect(server.logged).toMatchObject([{ level: 'info', fields: { error: 'agent_gone' } }])
  })

  it('of kind unavailable has Retry-After, if it is worth repeating', async () => {
    const full = defineFault('full', 'unavailable', { when: '', message: () => 'full' })
    const route: RegisterRoutes = (scope) => {
      scope.get('/later', async () => {
        throw full({ retryAfterSecs: 9 })
      })
      scope.get('/soon', async () => {
        throw queueFull({ running: 1, queued: 0 })
      })
      scope.get('/never', async () => {
        throw full({})
      })
    }
    const server = await start({ routes: { '': [route] } })
    expect((await server.request('/later')).headers['retry-after']).toBe('9')
    expect((await server.request('/soon')).headers['retry-after']).toBe('5')
    expect((await server.request('/never')).headers['retry-after']).toBe(undefined)
  })

  it('does not reveal the paths of files of the server', async () => {
    const broken = defineFault('broken', 'unavailable', {
      when: '',
      message: () => '/secret/place is broken',
    })
    const route: RegisterRoutes = (scope) => {
      scope.get('/broken', async () => {
        throw broken({ path: '/secret/place' })
      })
    }
    const server = await start({ routes: { '': [route] } })
    const { status, body } = await server.request('/broken')
    expect({ status, body }).toEqual({
      status: 503,
      body: {
        error: 'server_trouble',
        message: 'the server cannot access its own files; the server log has the details under this request id',
        retryable: true,
      },
    })
  })

  it('has the base of its problem type from the config', async () => {
    const server = await start({ server: { errors_base: 'https://example.com/e' } })
    expect((await server.request('/openai/v1/x')).body).toMatchObject({ type: 'https://example.com/e/not-found' })
  })

  it.each(['/openai', '/openai/chat/completions', '/openai?x', '/anthropic/v2/messages'])(
    'for %s has the format of the API in the path',
    async (path) => {
      expect((await (await start()).request(path)).headers['content-type']).toMatch('application/problem+json')
    },
  )

  it.each(['/', '/openaix', '/api/v2/x'])('for %s has the native format', async (path) => {
    expect((await (await start()).request(path)).body).toMatchObject({ error: 'not_found' })
  })

  it.each(['/api/v1/%zz', '/health%', '/api/v1/sessions/%c3%28'])('for the invalid path %s is a 400', async (path) => {
    const server = await startServer()
    const { status, headers, body } = await server.request(path)
    const problem = 'its path is not valid percent-encoding'
    expect({ status, body }).toEqual({
      status: 400,
      body: {
        error: 'request_malformed',
        message: `malformed request: ${problem}`,
        retryable: false,
        details: { problem },
      },
    })
    expect(headers['x-request-id']).toMatch(/^[0-9a-f]{32}$/)
  })

  it.each<[string, ServerOptions, Record<string, string>, number]>([
    ['the host check', {}, { host: 'evil.example' }, 403],
    ['the key', { env: { DROVER_API_KEYS: 'k' } }, {}, 401],
    ['the length', { server: { max_request_body_bytes: 1 } }, { 'content-length': '2' }, 413],
  ])('for an invalid path comes after %s', async (_name, options, headers, status) => {
    const server = await startServer(options)
    expect((await server.request('/%zz', { headers })).status).toBe(status)
  })

  it('for an invalid path counts for the rate limit and has CORS headers', async () => {
    const limits = { rate_limit_enabled: true, rate_limit_burst: 1, rate_limit_rps: 1 }
    const server = await startServer({ server: { ...limits, cors_allowed_origins: ['http://localhost:3000'] } })
    const headers = { origin: 'http://localhost:3000' }
    const first = await server.request('/%zz', { headers })
    expect([first.status, first.headers['access-control-allow-origin']]).toEqual([400, 'http://localhost:3000'])
    expect((await server.request('/%zz', { headers })).status).toBe(429)
  })

  it('for a path with a very long parameter comes from its endpoint', async () => {
    const server = await startServer()
    const { status, body } = await server.request(`/api/v1/sessions/${'a'.repeat(10_000)}`)
    expect({ status, body }).toMatchObject({ status: 400, body: { error: 'session_id_malformed' } })
  })

  it.each(['events', 'executions/x/events', 'runs/x/events'])('refuses HEAD of the stream %s', async (path) => {
    const server = await startServer()
    const { status, headers } = await server.request(`/api/v1/${path}`, { method: 'HEAD' })
    expect([status, headers.allow]).toEqual([405, 'GET'])
  })

  it('for HEAD has headers and no body', async () => {
    const server = await start()
    const { status, headers, text } = await server.request('/api/v1/nothing', { method: 'HEAD' })
    expect({ status, text, length: Number(headers['content-length']) > 0 }).toEqual({
      status: 404,
      text: '',
      length: true,
    })
  })
})

describe('OPTIONS', () => {
  it('without preflight headers is a method like any other', async () => {
    const server = await start()
    const { status, headers, body } = await server.request('/openai/v1/probe', { method: 'OPTIONS' })
    expect({ status, body }).toMatchObject({ status: 405, body: { title: 'Method Not Allowed' } })
    expect(headers.allow).toBe('GET, HEAD, POST')
    expect((await server.request('/api/v1/nothing', { method: 'OPTIONS' })).status).toBe(404)
    expect(server.done.map(({ route }) => route)).toEqual(['unknown', 'unknown'])
  })
})

describe('HEAD', () => {
  it('has the headers of GET and no body', async () => {
    const server = await start()
    const [head, get] = [
      await server.request('/api/v1/probe', { method: 'HEAD' }),
      await server.request('/api/v1/probe'),
    ]
    expect({ status: head.status, text: head.text, length: head.headers['content-length'] }).toEqual({
      status: 200,
      text: '',
      length: get.headers['content-length'],
    })
  })
})
