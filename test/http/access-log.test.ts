import { describe, expect, it } from 'vitest'
import { factsOf } from '../../src/http/request-facts.ts'
import type { RegisterRoutes } from '../../src/http/routes.ts'
import { until } from '../support/demo-agent.ts'
import { startServer } from '../support/start-server.ts'

const talk: RegisterRoutes = (scope) => {
  scope.post('/talk/:id', async (request) => {
    Object.assign(factsOf(request), { backend: 'codex', prompt: 'the prompt', answer: 'the answer' })
    return { said: 'yes' }
  })
  scope.get('/odd', async (request) => {
    factsOf(request).backend = 'made up by the client'
    return {}
  })
}
const SCOPES = [{ prefix: '', routes: [talk] }]
const CALL = { method: 'POST', headers: { 'x-api-key': 'k', 'x-request-id': 'r1' }, body: { prompt: 'the prompt' } }

describe('the access log', () => {
  it('has one line for a request, with its route and without what was said', async () => {
    const server = await startServer({ env: { DROVER_API_KEYS: 'k' }, scopes: SCOPES })
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
        refusal: undefined,
      },
    ])
  })

  it('has prompts and answers only when the operator wants them', async () => {
    const server = await startServer({ scopes: SCOPES, context: { logsPrompts: true } })
    await server.request('/talk/17', CALL)
    expect(server.access[0]).toMatchObject({ prompt: 'the prompt', answer: 'the answer' })
  })

  it('has refused requests too, under no route where there is none', async () => {
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

  it('names no backend that does not exist', async () => {
    const server = await startServer({ scopes: SCOPES })
    await server.request('/odd')
    expect(server.access[0]).not.toHaveProperty('backend')
    expect(server.done[0]?.backend).toBeUndefined()
  })

  it('has a client that left before its answer', async () => {
    const reached = Promise.withResolvers<void>()
    const never: RegisterRoutes = (scope) => {
      scope.get('/never', async () => {
        reached.resolve()
        await new Promise(() => {})
      })
    }
    const server = await startServer({ scopes: [{ prefix: '', routes: [never] }] })
    const connection = await server.connect()
    connection.write('GET /never HTTP/1.1\r\nHost: localhost\r\n\r\n')
    await reached.promise
    connection.socket.destroy()
    await until(() => server.access.length === 1)
    expect(server.access).toMatchObject([{ route: '/never', status: 499, bytes: 0 }])
  })

  it('counts what is under way', async () => {
    let started = 0
    const server = await startServer({ context: { observer: { requestStarted: () => started++ } } })
    await server.request('/health')
    expect(started).toBe(1)
  })
})
