import { describe, expect, it } from 'vitest'
import type { RegisterRoutes } from '../../src/http/context/server-context.ts'
import { startServer } from '../support/start-server.ts'
import { until } from '../support/until.ts'

const talk: RegisterRoutes = (scope) => {
  scope.post('/talk/:id', async (request) => {
    Object.assign(request.facts, { backends: ['codex'], prompts: ['the prompt'], answers: ['the answer'] })
    return { said: 'yes' }
  })
  scope.get('/odd', async (request) => {
    request.facts.backends = ['made up by the client']
    return {}
  })
}
const sized: RegisterRoutes = (scope) => {
  scope.get<{ Params: { bytes: string } }>('/sized/:bytes', async ({ params }) => 'x'.repeat(Number(params.bytes)))
}
const ROUTES = { '': [talk] }
const CALL = { method: 'POST', headers: { 'x-api-key': 'k', 'x-request-id': 'r1' }, body: { prompt: 'the prompt' } }

describe('the access log', () => {
  it('has one line for a request, with its route and without prompt or answer', async () => {
    const server = await startServer({ env: { DROVER_API_KEYS: 'k' }, routes: ROUTES })
    await server.request('/talk/17?x=1', CALL)
    expect(server.access).toEqual([
      {
        request_id: 'r1',
        method: 'POST',
        route: '/talk/:id',
        status: 200,
        bytes: expect.any(Number),
        duration_ms: expect.any(Number),
        client: '127.0.0.1',
        key: 'key-8254c329',
        backend: 'codex',
      },
    ])
    expect(server.access[0]?.bytes).toBeGreaterThan(100)
    expect(server.done).toEqual([
      {
        route: '/talk/:id',
        method: 'POST',
        status: 200,
        seconds: expect.any(Number),
        bytes: server.access[0]?.bytes,
        keyName: 'key-8254c329',
        backend: 'codex',
        errorCode: undefined,
      },
    ])
  })

  it('has requests for files of the console only if they fail', async () => {
    const server = await startServer()
    const { text } = await server.request('/')
    const [asset = ''] = /console\/[^"]+\.js/.exec(text) ?? []
    for (const path of [asset, 'console/missing.js', 'docs']) await server.request(`/${path}`)
    expect(server.access.map(({ route, status }) => `${status} ${route}`)).toEqual(['404 /console/:asset', '200 /docs'])
    expect(server.done.map(({ route }) => route)).toEqual(['/', '/console/:asset', '/console/:asset', '/docs'])
  })

  it('has prompts and answers only if the operator wants them', async () => {
    const server = await startServer({ routes: ROUTES, context: { logsPrompts: true } })
    await server.request('/talk/17', CALL)
    expect(server.access[0]).toMatchObject({ prompt: 'the prompt', answer: 'the answer' })
  })

  it.each([
    [16_384, ''],
    [16_385, '… (16385 characters in all)'],
  ])('has only the beginning of a prompt of %i characters', async (length, rest) => {
    const route: RegisterRoutes = (scope) => {
      scope.get('/long', async (request) => {
        request.facts.prompts = ['x'.repeat(length)]
        return {}
      })
    }
    const server = await startServer({ routes: { '': [route] }, context: { logsPrompts: true } })
    await server.request('/long')
    expect(server.access[0]?.prompt).toBe('x'.repeat(16_384) + rest)
  })

  it.each<[string, object, string, string]>([
    [
      '/api/v1/parallel',
      { tasks: ['codex', 'claude', 'codex', 'made up'].map((backend) => ({ backend, prompt: `to ${backend}` })) },
      'claude,codex',
      'to codex\n\nto claude\n\nto codex\n\nto made up',
    ],
    ['/api/v1/chain', { steps: [{ backend: 'gemini', prompt: 'one' }] }, 'gemini', 'one'],
    ['/api/v1/compare', { backends: ['codex', 'gemini'], prompt: 'both' }, 'codex,gemini', 'both'],
  ])('names each agent of %s once, with all prompts', async (path, body, backend, prompt) => {
    const server = await startServer({ context: { logsPrompts: true } })
    await server.request(path, { method: 'POST', body })
    expect(server.access[0]).toMatchObject({ backend, prompt, answer: expect.stringContaining('demo') })
  })

  it('counts the bytes of each pipelined response', async () => {
    const server = await startServer({ routes: { '': [sized] } })
    const connection = await server.connect()
    const get = (bytes: number) => `GET /sized/${bytes} HTTP/1.1\r\nHost: localhost\r\n\r\n`
    connection.write(get(1000) + get(100_000) + get(10))
    await until(() => server.access.length === 3)
    const [first = 0, second = 0, third = 0] = server.access.map(({ bytes }) => bytes)
    expect([first - third, second - third]).toEqual([990 + 2, 99_990 + 4])
    await until(() => connection.heard().length === first + second + third)
  })

  it('writes a client address in the same format, with or without a valid request', async () => {
    const server = await startServer({ host: '::ffff:127.0.0.1' })
    await server.request('/health')
    const connection = await server.connect()
    connection.write('hello\r\n\r\n')
    await connection.ended()
    expect(server.access.map(({ client }) => client)).toEqual(['127.0.0.1', '127.0.0.1'])
  })

  it('has failed requests too, with the route `unknown` if there is none', async () => {
    const server = await startServer()
    await server.request('/api/v1/sessions/zzz')
    await server.request('/api/v1/nothing/at/all')
    await server.request('/%zz')
    expect(server.access.map(({ route, status, error }) => [route, status, error])).toEqual([
      ['/api/v1/sessions/:id', 400, 'session_id_malformed'],
      ['unknown', 404, 'not_found'],
      ['unknown', 400, 'request_malformed'],
    ])
  })

  it('does not contain backends that do not exist', async () => {
    const server = await startServer({ routes: ROUTES })
    await server.request('/odd')
    expect(server.access[0]).not.toHaveProperty('backend')
    expect(server.done[0]?.backend).toBeUndefined()
  })

  it('has clients that disconnected before the response', async () => {
    const reached = Promise.withResolvers<void>()
    const never: RegisterRoutes = (scope) => {
      scope.get('/never', async () => {
        reached.resolve()
        await new Promise(() => {})
      })
    }
    const server = await startServer({ routes: { '': [never] } })
    const connection = await server.connect()
    connection.write('GET /never HTTP/1.1\r\nHost: localhost\r\n\r\n')
    await reached.promise
    connection.socket.destroy()
    await until(() => server.access.length === 1)
    expect(server.access).toMatchObject([{ route: '/never', status: 499, bytes: 0 }])
  })

  it('has the words of a path without an endpoint that are words of the API, and no other text of it', async () => {
    const server = await startServer({ env: { DROVER_API_KEYS: 'k' } })
    const ask = async (path: string, key = 'k') => await server.request(path, { headers: { 'x-api-key': key } })
    await ask('/v2/chat/completions/')
    await ask(`/api/v2/prompt${'/x'.repeat(200)}?secret=1`)
    await ask('/api/v1/sessions/0000')
    expect(server.access.map(({ path }) => path)).toEqual([
      '/v2/chat/completions',
      `/api/v2/prompt${'/*'.repeat(200)}`.slice(0, 256),
      undefined,
    ])
  })

  it('never has an API key, wherever a client puts it', async () => {
    const key = 'Team-Key.0123456789'
    const server = await startServer({ env: { DROVER_API_KEYS: key } })
    const encoded = [...key].map((letter) => `%${letter.charCodeAt(0).toString(16)}`).join('')
    const places = [
      ...[`/${key}`, `/api/v1/${key}/prompt`, `/v1/models?key=${key}`, `/nothing?api_key=${key}`, `/${encoded}`],
      ...[`/api/v1/sessions/${key}`, `/api/v1/executions/${key}/events`, `/%zz${key}`, `http://localhost/${key}`],
      ...[`/${key}%2f..%2f`, `//${key}@localhost/health`, `/docs/${key}`, `/console/${key}`, `/prompt;${key}`],
    ]
    for (const path of places)
      for (const sent of ['', key])
        for (const method of ['GET', 'POST']) await server.request(path, { method, headers: { 'x-api-key': sent } })
    for (const id of [key, `retry-1/${key}`]) {
      for (const sent of [{ 'x-api-key': key }, { authorization: `Bearer ${key}` }]) {
        const { headers } = await server.request('/health', { headers: { 'x-request-id': id, ...sent } })
        expect(headers['x-request-id']).toMatch(/^[0-9a-f]{32}$/)
      }
    }
    expect(server.access).toHaveLength(places.length * 4 + 4)
    const lines = [...server.access, ...server.logged, ...server.done].map((line) => JSON.stringify(line))
    expect(lines.filter((line) => line.includes(key) || line.includes(encoded))).toEqual([])
  })

  it.each<[string, object]>([
    ['/openai/v1/chat/completions', {}],
    ['/anthropic/v1/messages', { 'anthropic-version': '2023-06-01' }],
  ])('does not take a client of %s that hangs up for a shutdown', async (path, headers) => {
    const server = await startServer({ env: { FAKE_AGENT_SCRIPT: JSON.stringify({ hangAfter: 'init' }) } })
    const body = { model: 'claude', max_tokens: 9, messages: [{ role: 'user', content: 'hi' }] }
    const client = new AbortController()
    const options = { method: 'POST', headers: { ...headers }, body, signal: client.signal }
    const answered = Promise.allSettled([server.request(path, options)])
    await until(() => server.context.drover.slots.load().running === 1)
    client.abort()
    await answered
    const { message, fields } = await until(() => server.logged.find(({ fields }) => 'request_id' in fields))
    expect({ message, ...fields }).toMatchObject({
      message: 'request canceled',
      error: 'client_disconnected',
      reason: 'the client disconnected before the response',
    })
    expect(server.access).toMatchObject([{ route: path, status: 499 }])
  })

  it('reports requests in progress', async () => {
    let started = 0
    const server = await startServer({ context: { observer: { requestStarted: () => started++ } } })
    await server.request('/health')
    expect(started).toBe(1)
  })
})
