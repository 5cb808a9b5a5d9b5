import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { temporaryDirectory } from '../support/run-drover.ts'
import { startServer } from '../support/start-server.ts'

const TRACEPARENT = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01'

describe('X-Request-Id', () => {
  it('is taken from the request if it is valid, and returned', async () => {
    const server = await startServer()
    const { headers } = await server.request('/health', { headers: { 'x-request-id': 'build-42/a:b' } })
    expect(headers['x-request-id']).toBe('build-42/a:b')
    expect(server.access[0]).toMatchObject({ request_id: 'build-42/a:b' })
  })

  const KEYS = [`drover_key_${'0a'.repeat(24)}`, 'run/sk-0123456789abcdef', 'token=0123456789']

  it.each(['has space', 'a'.repeat(129), '<script>', 'a;b', ...KEYS])(
    'is generated instead of the invalid %.12j',
    async (id) => {
      const server = await startServer()
      const { headers } = await server.request('/health', { headers: { 'x-request-id': id } })
      expect(headers['x-request-id']).toMatch(/^[0-9a-f]{32}$/)
    },
  )

  it('is unique for every request', async () => {
    const server = await startServer()
    const ids = [await server.request('/health'), await server.request('/health')].map(
      ({ headers }) => headers['x-request-id'],
    )
    expect(new Set(ids).size).toBe(2)
  })

  const LISTED = { cors_allowed_origins: ['http://localhost:1'] }

  it.each([
    ['404', '/nothing', { headers: { 'x-api-key': 'k' } }],
    ['405', '/health', { method: 'POST' }],
    ['401', '/api/v1/backends', {}],
    ['413', '/api/v1/prompt', { method: 'POST', body: 'x'.repeat(11), headers: { 'x-api-key': 'k' } }],
    [
      '204',
      '/health',
      { method: 'OPTIONS', headers: { origin: 'http://localhost:1', 'access-control-request-method': 'GET' } },
    ],
  ])('is also on a %s', async (status, path, options) => {
    const server = await startServer({
      env: { DROVER_API_KEYS: 'k' },
      server: { ...LISTED, max_request_body_bytes: 10 },
    })
    const answer = await server.request(path, options)
    expect(answer.status).toBe(Number(status))
    expect(answer.headers['x-request-id']).toMatch(/^[0-9a-f]{32}$/)
  })
})

describe('traceparent', () => {
  it('is returned, and its trace id is logged', async () => {
    const server = await startServer()
    const { headers } = await server.request('/health', { headers: { traceparent: TRACEPARENT } })
    expect(headers['traceparent']).toBe(TRACEPARENT)
    expect(server.access[0]).toMatchObject({ trace_id: '0af7651916cd43dd8448eb211c80319c' })
  })

  it.each<[string, string, object]>([
    ['a prompt', '/api/v1/prompt', { backend: 'claude', prompt: 'x' }],
    ['a parallel call', '/api/v1/parallel', { tasks: [{ backend: 'claude', prompt: 'x' }] }],
    [
      'a chat completion',
      '/openai/v1/chat/completions',
      { model: 'claude', messages: [{ role: 'user', content: 'x' }] },
    ],
  ])('reaches the agent of %s in its environment, with the tracestate', async (_name, path, body) => {
    const directory = temporaryDirectory()
    const agent = '#!/bin/sh\ncat > /dev/null\necho "($TRACEPARENT)($TRACESTATE)"\n'
    writeFileSync(join(directory, 'claude'), agent, { mode: 0o755 })
    const env = { PATH: `${directory}:/usr/bin:/bin`, TRACESTATE: 'of=another-trace' }
    const server = await startServer({ agents: 'demo', env })
    const ask = async (headers: Record<string, string>) =>
      (await server.request(path, { method: 'POST', body, headers })).text
    expect(await ask({ traceparent: TRACEPARENT, tracestate: 'rojo=1' })).toContain(`(${TRACEPARENT})(rojo=1)`)
    expect(await ask({ traceparent: TRACEPARENT, tracestate: 'no state' })).toContain(`(${TRACEPARENT})()`)
    expect(await ask({ traceparent: 'nonsense', tracestate: 'rojo=1' })).toContain('()(of=another-trace)')
  })

  it('is ignored if it is invalid', async () => {
    const server = await startServer()
    const { status, headers } = await server.request('/health', { headers: { traceparent: 'nonsense' } })
    expect({ status, traceparent: headers['traceparent'] }).toEqual({ status: 200, traceparent: undefined })
  })
})
