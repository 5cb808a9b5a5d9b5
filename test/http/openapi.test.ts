import { describe, expect, it } from 'vitest'
import { IS_FULL } from '../support/full-counts.ts'
import { findUndescribed, OPENAPI, type OpenApiDocument } from '../support/openapi-document.ts'
import { startServer, type TestServer } from '../support/start-server.ts'

const read = async (server: TestServer, headers: Record<string, string> = {}) => {
  const answer = await server.request('/openapi.json', { headers })
  return { ...answer, document: answer.body as OpenApiDocument }
}

describe('GET /openapi.json', () => {
  it('is the published document with the address and version of this server', async () => {
    const hidden = { secretagent: { protocol: 'acp', command: ['/bin/true'] } }
    const server = await startServer({ config: { backends: hidden } })
    const { status, headers, document } = await read(server)
    expect({ status, type: headers['content-type'] }).toEqual({ status: 200, type: 'application/json; charset=utf-8' })
    expect(document).toEqual({
      ...OPENAPI,
      info: { ...OPENAPI.info, version: '1.2.3' },
      servers: [{ url: server.url, description: 'This server' }],
    })
  })

  it('needs no API key', async () => {
    const server = await startServer({ env: { DROVER_API_KEYS: 'one' } })
    expect(await read(server)).toMatchObject({ status: 200 })
  })

  it.runIf(IS_FULL)('is 304 for a client that has it', async () => {
    const server = await startServer()
    const etag = (await read(server)).headers.etag ?? ''
    expect(etag).toMatch(/^"sha256:[0-9a-f]{64}"$/)
    const again = await read(server, { 'if-none-match': `"other", W/${etag}` })
    expect(again).toMatchObject({ status: 304, text: '', headers: { etag, 'cache-control': 'no-cache' } })
    expect(await read(server, { 'if-none-match': '"other"' })).toMatchObject({ status: 200 })
    expect(await read(server, { 'if-none-match': '*' })).toMatchObject({ status: 304 })
  })

  it('answers HEAD without a body', async () => {
    const server = await startServer()
    const whole = await read(server)
    const head = await server.request('/openapi.json', { method: 'HEAD' })
    expect(head).toMatchObject({ status: 200, text: '', headers: { etag: whole.headers.etag } })
    expect(Number(head.headers['content-length'])).toBe(Buffer.byteLength(whole.text))
  })

  const proxied = { 'x-forwarded-proto': 'https', 'x-forwarded-host': 'api.example.com' }

  it.each([
    ['the name it was asked under', {}, { host: 'localhost:9' }, 'http://localhost:9'],
    ['what a trusted proxy was asked', { trusted_proxies: ['127.0.0.1'] }, proxied, 'https://api.example.com'],
    ['nothing that a stranger claims', {}, { ...proxied, host: 'localhost' }, 'http://localhost'],
  ])('has the server address %s', async (_, settings, headers, url) => {
    const server = await startServer({ server: settings })
    expect((await read(server, headers)).document.servers[0]?.url).toBe(url)
  })

  it.runIf(IS_FULL)('has a relative address if the Host header is not valid', async () => {
    const server = await startServer({ env: { DROVER_API_KEYS: 'one' } })
    expect((await read(server, { host: 'a"b' })).document.servers[0]?.url).toBe('/')
  })
})

describe('a response', () => {
  const hello = { backend: 'claude', prompt: 'hello' }
  const chat = { model: 'gpt-5', messages: [{ role: 'user', content: 'hello' }] }
  const message = { model: 'gemini', max_tokens: 9, messages: [{ role: 'user', content: 'hello' }] }
  const list = { jsonrpc: '2.0', id: 1, method: 'tools/list', params: {} }
  const version = { 'anthropic-version': '2023-06-01' }

  it.each([
    ['POST', '/api/v1/prompt', { body: hello }, 200],
    ['POST', '/api/v1/prompt', { body: { ...hello, output_format: 'stream-json' } }, 200],
    ['POST', '/api/v1/prompt', { body: { ...hello, dry_run: true, metadata: { a: [1, null] } } }, 200],
    ['POST', '/api/v1/prompt', { body: {} }, 400],
    ['POST', '/api/v1/prompt', { body: { ...hello, backend: 'clod' } }, 400],
    ['POST', '/api/v1/prompt', { body: '<a/>', headers: { 'content-type': 'text/xml' } }, 415],
    ['POST', '/api/v1/parallel', { body: { tasks: [hello, { ...hello, backend: 'clod' }] } }, 200],
    ['POST', '/api/v1/chain', { body: { steps: [{ ...hello, name: 'a' }, hello, { ...hello, backend: 'x' }] } }, 200],
    ['POST', '/api/v1/compare', { body: { prompt: 'hello', backends: ['codex', 'gemini', 'x'] } }, 200],
    ['GET', '/api/v1/backends', {}, 200],
    ['GET', '/api/v1/sessions', {}, 200],
    ['GET', '/health', {}, 200],
    ['GET', '/openapi.json', {}, 200],
    ['GET', '/docs', {}, 200],
    ['GET', '/metrics', {}, 200],
    ['GET', '/openai/v1/models', {}, 200],
    ['POST', '/openai/v1/chat/completions', { body: chat }, 200],
    ['POST', '/openai/v1/chat/completions', { body: { ...chat, stream: true } }, 200],
    [
      'POST',
      '/openai/v1/chat/completions',
      { body: { ...chat, stream: true, stream_options: { include_usage: true } } },
      200,
    ],
    ['POST', '/openai/v1/chat/completions', { body: { ...chat, messages: [] } }, 400],
    ['POST', '/anthropic/v1/messages', { body: message, headers: version }, 200],
    ['POST', '/anthropic/v1/messages', { body: { ...message, stream: true }, headers: version }, 200],
    ['POST', '/anthropic/v1/messages', { body: message }, 400],
    ['POST', '/mcp', { body: list, headers: { accept: 'application/json' } }, 406],
  ])('to %s %s %j matches the document', async (method, path, wishes, status) => {
    const server = await startServer({ server: { metrics_enabled: true } })
    const answer = await server.request(path, { method, ...wishes })
    expect({ status: answer.status, undescribed: findUndescribed(method, path, answer) }).toEqual({
      status,
      undescribed: [],
    })
  })

  it('about a session matches the document', async () => {
    const server = await startServer()
    const first = await server.request('/api/v1/prompt', { method: 'POST', body: hello })
    const { session_id: id } = first.body as { session_id: string }
    const calls: [string, string, string, object, number][] = [
      ['GET', '/api/v1/sessions', '', {}, 200],
      ['GET', '/api/v1/sessions/{id}', id, {}, 200],
      ['PATCH', '/api/v1/sessions/{id}', id, { body: { title: 'greeting', tags: ['a'] } }, 200],
      ['POST', '/api/v1/sessions/{id}/resume', id, { body: { prompt: 'again' } }, 200],
      ['POST', '/api/v1/sessions/{id}/resume', id, { body: { prompt: 'x', output_format: 'stream-json' } }, 200],
      ['GET', '/api/v1/sessions/{id}', 'xyz', {}, 400],
      ['DELETE', '/api/v1/sessions/{id}', id, {}, 200],
      ['GET', '/api/v1/sessions/{id}', id, {}, 404],
    ]
    for (const [method, path, at, wishes, status] of calls) {
      const answer = await server.request(path.replace('{id}', at), { method, ...wishes })
      expect({ status: answer.status, undescribed: findUndescribed(method, path, answer) }).toEqual({
        status,
        undescribed: [],
      })
    }
  })

  it.each([
    ['/api/v1/prompt', '/api/v1/prompt'],
    ['/openai/v1/chat/completions', '/openai/v1/chat/completions'],
    ['/anthropic/v1/messages', '/anthropic/v1/messages'],
  ])('with an error for %s matches the document', async (path) => {
    const limited = { rate_limit_enabled: true, rate_limit_rps: 1, rate_limit_burst: 3 }
    const server = await startServer({
      env: { DROVER_API_KEYS: 'one' },
      server: { ...limited, max_request_body_bytes: 10 },
    })
    const key = { 'x-api-key': 'one' }
    const calls: [object, number][] = [
      [{ body: {} }, 401],
      [{ body: { long: 'enough' }, headers: key }, 413],
      [{ method: 'PUT', headers: key }, 405],
      [{ body: {}, headers: key }, 400],
      [{ body: {}, headers: key }, 429],
    ]
    for (const [wishes, status] of calls) {
      const answer = await server.request(path, { method: 'POST', ...wishes })
      expect({ status: answer.status, undescribed: findUndescribed('POST', path, answer) }).toEqual({
        status,
        undescribed: [],
      })
    }
  })

  it('during shutdown matches the document', async () => {
    const server = await startServer()
    server.shutdown.abort()
    const paths = ['/api/v1/backends', '/health', '/openai/v1/models']
    for (const path of paths) {
      const answer = await server.request(path)
      expect({ status: answer.status, undescribed: findUndescribed('GET', path, answer) }).toEqual({
        status: 503,
        undescribed: [],
      })
    }
  })
})
