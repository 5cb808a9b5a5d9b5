import { setTimeout as delay } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import type { RegisterRoutes } from '../../src/http/routes.ts'
import { until } from '../support/demo-agent.ts'
import { startServer } from '../support/start-server.ts'

const GET_HEALTH = 'GET /health HTTP/1.1\r\nHost: localhost\r\n\r\n'

const bodyOf = (said: string) => JSON.parse(said.slice(said.indexOf('\r\n\r\n')))

describe('a connection', () => {
  it.each([
    ['whose request line is no HTTP', 'hello\r\n\r\n', 400, 'request_malformed'],
    ['without a host', 'GET /health HTTP/1.1\r\n\r\n', 400, undefined],
    ['with endless headers', `GET / HTTP/1.1\r\nX: ${'a'.repeat(17_000)}`, 431, 'headers_too_large'],
  ])('%s is answered and closed', async (_name, text, status, code) => {
    const server = await startServer()
    const connection = await server.connect()
    connection.write(text)
    const said = await connection.ended()
    expect(said).toMatch(new RegExp(`^HTTP/1.1 ${status} `))
    if (code === undefined) return
    expect(said).toMatch(/\r\nx-request-id: [0-9a-f]{32}\r\n/)
    expect(bodyOf(said)).toMatchObject({ error: code })
    expect(server.access).toMatchObject([
      { method: 'unknown', route: 'unknown', status, error: code, client: '127.0.0.1' },
    ])
    expect(server.done).toMatchObject([{ status, refusal: code }])
  })

  it.each([
    ['nothing', ''],
    ['half a header', 'GET /health HTTP/1.1\r\nHo'],
  ])('that sends %s is cut in time, with 408', async (_name, text) => {
    const server = await startServer({ server: { read_timeout_secs: 1 } })
    const connection = await server.connect()
    connection.write(text)
    const said = await connection.ended()
    expect(said).toMatch(/^HTTP\/1\.1 408 Request Timeout\r\n/)
    expect(bodyOf(said)).toEqual({
      error: 'request_timeout',
      message: 'the request did not arrive within 1 seconds; send it faster',
      details: { limitSecs: 1 },
    })
  })

  it('that still sends what was refused is cut in time, without a second answer', async () => {
    const server = await startServer({ server: { read_timeout_secs: 1, max_request_body_bytes: 10 } })
    const connection = await server.connect()
    connection.write('POST /health HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1000\r\n\r\nabc')
    expect((await connection.ended()).match(/HTTP\/1\.1 \d+/g)).toEqual(['HTTP/1.1 413'])
  })

  it('is kept open for the next request, and closed when none comes', async () => {
    const server = await startServer({ server: { idle_timeout_secs: 1 } })
    const connection = await server.connect()
    connection.write(GET_HEALTH)
    await until(() => connection.heard().includes('"status"'))
    connection.write(GET_HEALTH)
    const said = await connection.ended()
    expect(said.match(/HTTP\/1\.1 \d+/g)).toEqual(['HTTP/1.1 200', 'HTTP/1.1 200'])
  })

  it('takes several requests at once and answers them in order', async () => {
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

  it('with garbage behind a request under way is closed without an answer to the garbage', async () => {
    const waiting = Promise.withResolvers<void>()
    const slow: RegisterRoutes = (scope) => {
      scope.get('/slow', async () => {
        await waiting.promise
        return {}
      })
    }
    const server = await startServer({ scopes: [{ prefix: '', routes: [slow] }] })
    const connection = await server.connect()
    connection.write('GET /slow HTTP/1.1\r\nHost: localhost\r\n\r\n\x00garbage\r\n\r\n')
    expect(await connection.ended()).toBe('')
    waiting.resolve()
  })

  it('may wait for a slow answer for longer than a write may stall', async () => {
    const slow: RegisterRoutes = (scope) => {
      scope.get('/slow', async () => {
        await delay(1500)
        return { done: true }
      })
    }
    const server = await startServer({ server: { write_timeout_secs: 1 }, scopes: [{ prefix: '', routes: [slow] }] })
    const connection = await server.connect()
    const get = 'GET /slow HTTP/1.1\r\nHost: localhost\r\n\r\n'
    connection.write(get)
    await until(() => connection.heard().includes('"done":true'))
    connection.write(get.replace('\r\n\r\n', '\r\nConnection: close\r\n\r\n'))
    expect((await connection.ended()).match(/"done":true/g)).toHaveLength(2)
  })

  it('that does not take its answer is cut after the write timeout', async () => {
    const large: RegisterRoutes = (scope) => {
      scope.get('/large', async (_request, reply) => reply.send(Buffer.alloc(64 * 1024 * 1024)))
    }
    const server = await startServer({ server: { write_timeout_secs: 1 }, scopes: [{ prefix: '', routes: [large] }] })
    const connection = await server.connect()
    connection.socket.pause()
    connection.write('GET /large HTTP/1.1\r\nHost: localhost\r\n\r\n')
    await until(() => server.access.length === 1)
    expect(server.access).toMatchObject([{ route: '/large', status: 200 }])
  })
})
