import { setTimeout as delay } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import type { RegisterRoutes } from '../../src/http/context/server-context.ts'
import { sendStream } from '../../src/http/response/send-stream.ts'
import type { PromptEvent } from '../../src/prompts/prompt-event.ts'
import type { PromptResult } from '../../src/prompts/prompt-result.ts'
import { IS_FULL } from '../support/full-counts.ts'
import { startServer } from '../support/start-server.ts'
import { until } from '../support/until.ts'

const GET_HEALTH = 'GET /health HTTP/1.1\r\nHost: localhost\r\n\r\n'

const bodyOf = (said: string) => JSON.parse(said.slice(said.indexOf('\r\n\r\n')))

describe('a connection', () => {
  it.each([
    ['whose request line is no HTTP', 'hello\r\n\r\n', 400, 'request_malformed'],
    [
      'that asks for a tunnel',
      'CONNECT example.com:443 HTTP/1.1\r\nHost: example.com\r\n\r\n',
      400,
      'request_malformed',
    ],
    ['with endless headers', `GET / HTTP/1.1\r\nX: ${'a'.repeat(17_000)}`, 431, 'headers_too_large'],
  ])('%s gets an error and is closed', async (_name, text, status, code) => {
    const server = await startServer()
    const connection = await server.connect()
    connection.write(text)
    const said = await connection.ended()
    expect(said).toMatch(new RegExp(`^HTTP/1.1 ${status} `))
    expect(said).toMatch(/\r\nx-request-id: [0-9a-f]{32}\r\n/)
    expect(said).toContain('\r\nx-content-type-options: nosniff\r\ncache-control: no-store\r\n')
    expect(bodyOf(said)).toMatchObject({ error: code })
    expect(server.access).toMatchObject([
      { method: 'unknown', route: 'unknown', status, error: code, client: '127.0.0.1' },
    ])
    expect(server.done).toMatchObject([{ status, errorCode: code }])
  })

  it.each([
    ['nothing', ''],
    ['half a header', 'GET /health HTTP/1.1\r\nHo'],
  ])('that sends %s is closed in time, with 408', async (_name, text) => {
    const server = await startServer({ server: { read_timeout_secs: 1 } })
    const connection = await server.connect()
    connection.write(text)
    const said = await connection.ended()
    expect(said).toMatch(/^HTTP\/1\.1 408 Request Timeout\r\n/)
    expect(bodyOf(said)).toEqual({
      error: 'request_timeout',
      message: 'the request did not arrive completely within 1 seconds',
      retryable: true,
      details: { limit_secs: 1 },
    })
  })

  it('that sends a log-in slowly gets 408 after 5 seconds, and is closed', async () => {
    const server = await startServer({ env: { DROVER_API_KEYS: 'k' }, server: { read_timeout_secs: 600 } })
    const connection = await server.connect()
    const startedAt = performance.now()
    connection.write('POST /api/v1/login HTTP/1.1\r\nHost: localhost\r\nContent-Length: 100\r\n\r\n{')
    const said = await connection.ended()
    expect(said).toMatch(/^HTTP\/1\.1 408 Request Timeout\r\n/)
    expect(bodyOf(said)).toMatchObject({ error: 'request_timeout', details: { limit_secs: 5 } })
    expect(performance.now() - startedAt).toBeGreaterThan(4900)
  })

  it.runIf(IS_FULL)('that keeps sending a refused body is closed in time, without a second response', async () => {
    const server = await startServer({ server: { read_timeout_secs: 1, max_request_body_bytes: 10 } })
    const connection = await server.connect()
    connection.write('POST /health HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1000\r\n\r\nabc')
    expect((await connection.ended()).match(/HTTP\/1\.1 \d+/g)).toEqual(['HTTP/1.1 413'])
  })

  it.each([
    ['without a host', 'GET /health HTTP/1.1\r\n\r\n', 400, 'request_malformed'],
    [
      'with two hosts',
      'GET /health HTTP/1.1\r\nHost: localhost\r\nHost: evil.example\r\n\r\n',
      400,
      'request_malformed',
    ],
    [
      'with two equal hosts',
      'GET /health HTTP/1.1\r\nHost: localhost\r\nhOST: localhost\r\n\r\n',
      400,
      'request_malformed',
    ],
    [
      'with a foreign host first',
      'GET /health HTTP/1.1\r\nHost: evil.example\r\nHost: localhost\r\n\r\n',
      400,
      'request_malformed',
    ],
    [
      'with an unknown expectation',
      'GET /health HTTP/1.1\r\nHost: localhost\r\nExpect: banana\r\n\r\n',
      417,
      'expectation_unsupported',
    ],
  ])('refuses a request %s like any other', async (_name, text, status, code) => {
    const server = await startServer()
    const connection = await server.connect()
    connection.write(text)
    await until(() => connection.heard().includes(code))
    expect(connection.heard()).toMatch(new RegExp(`^HTTP/1.1 ${status} .*\r\nx-request-id: [0-9a-f]{32}\r\n`, 's'))
    await until(() => server.access.length === 1)
    expect(server.access).toMatchObject([{ method: 'GET', route: '/health', status, error: code }])
    expect(server.done).toMatchObject([{ status, errorCode: code }])
  })

  it.each([
    ['without a host in HTTP/1.0', 'GET /health HTTP/1.0\r\n\r\n'],
    [
      'that offers an upgrade',
      'GET /health HTTP/1.1\r\nHost: localhost\r\nConnection: upgrade, close\r\nUpgrade: websocket\r\n\r\n',
    ],
    ['for the whole address', 'GET http://localhost/health HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n'],
  ])('answers a request %s', async (_name, text) => {
    const server = await startServer()
    const connection = await server.connect()
    connection.write(text)
    expect(await connection.ended()).toMatch(/^HTTP\/1\.1 200 /)
  })

  it('stays open for the next request, and is closed if none arrives', async () => {
    const server = await startServer({ server: { idle_timeout_secs: 1 } })
    const connection = await server.connect()
    connection.write(GET_HEALTH)
    await until(() => connection.heard().includes('"status"'))
    connection.write(GET_HEALTH)
    const said = await connection.ended()
    expect(said.match(/HTTP\/1\.1 \d+/g)).toEqual(['HTTP/1.1 200', 'HTTP/1.1 200'])
  })

  it('answers pipelined requests in order', async () => {
    const server = await startServer()
    const connection = await server.connect()
    connection.write(
      GET_HEALTH +
        GET_HEALTH.replace('/health', '/nothing') +
        GET_HEALTH.replace('\r\n\r\n', '\r\nConnection: close\r\n\r\n'),
    )
    expect((await connection.ended()).match(/HTTP\/1\.1 \d+/g)).toEqual([
      'HTTP/1.1 200',
      'HTTP/1.1 404',
      'HTTP/1.1 200',
    ])
  })

  it('with garbage after a running request is closed without a response to the garbage', async () => {
    const waiting = Promise.withResolvers<void>()
    const slow: RegisterRoutes = (scope) => {
      scope.get('/slow', async () => {
        await waiting.promise
        return {}
      })
    }
    const server = await startServer({ routes: { '': [slow] } })
    const connection = await server.connect()
    connection.write('GET /slow HTTP/1.1\r\nHost: localhost\r\n\r\n\x00garbage\r\n\r\n')
    expect(await connection.ended()).toBe('')
    waiting.resolve()
  })

  it.runIf(IS_FULL)('may wait for a slow response for longer than the write timeout', async () => {
    const slow: RegisterRoutes = (scope) => {
      scope.get('/slow', async () => {
        await delay(1500)
        return { done: true }
      })
    }
    const server = await startServer({ server: { write_timeout_secs: 1 }, routes: { '': [slow] } })
    const connection = await server.connect()
    const get = 'GET /slow HTTP/1.1\r\nHost: localhost\r\n\r\n'
    connection.write(get)
    await until(() => connection.heard().includes('"done":true'))
    connection.write(get.replace('\r\n\r\n', '\r\nConnection: close\r\n\r\n'))
    expect((await connection.ended()).match(/"done":true/g)).toHaveLength(2)
  })

  it.runIf(IS_FULL)('may wait for a slow pipelined response for longer than the write timeout', async () => {
    const routes: RegisterRoutes = (scope) => {
      scope.get('/quick', async () => ({}))
      scope.get('/slow', async () => {
        await delay(1500)
        return { done: true }
      })
    }
    const server = await startServer({ server: { write_timeout_secs: 1 }, routes: { '': [routes] } })
    const get = (path: string) => `GET ${path} HTTP/1.1\r\nHost: localhost\r\n\r\n`
    for (const paths of [
      ['/quick', '/slow'],
      ['/slow', '/quick'],
    ]) {
      const connection = await server.connect()
      connection.write(paths.map(get).join(''))
      await until(() => connection.heard().match(/HTTP\/1\.1 200/g)?.length === 2)
    }
  })

  it('that does not read the end of a stream is closed after the write timeout', async () => {
    const result = { backend: 'claude', output: '' } as PromptResult
    const stream: RegisterRoutes = (scope) => {
      scope.get('/stream', async (_request, reply) => {
        // Until the socket buffer is full. The rest is below the high-water mark, so `write` does not ask to wait.
        async function* events(): AsyncGenerator<PromptEvent, PromptResult, undefined> {
          while (reply.raw.writableLength === 0) {
            yield {} as PromptEvent
            await delay(1)
          }
          return result
        }
        const format = {
          contentType: 'text/plain',
          frame: () => 'x'.repeat(1000),
          end: () => 'end',
          heartbeat: () => '',
        }
        await sendStream({ reply, events: events() }, format, { heartbeatMs: 60_000, writeTimeoutMs: 1000 })
        return reply
      })
    }
    const server = await startServer({ routes: { '': [stream] } })
    const connection = await server.connect()
    connection.socket.pause()
    connection.write('GET /stream HTTP/1.1\r\nHost: localhost\r\n\r\n')
    await until(() => server.access.length === 1)
    expect(server.access).toMatchObject([{ route: '/stream', status: 200 }])
  })
})
