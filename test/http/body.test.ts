import { request as send } from 'node:http'
import { describe, expect, it } from 'vitest'
import type { RegisterRoutes } from '../../src/http/context/server-context.ts'
import { MAX_JSON_DEPTH } from '../../src/kit/json-value.ts'
import { type ServerOptions, startServer, type TestServer } from '../support/start-server.ts'
import { until } from '../support/until.ts'

const echo: RegisterRoutes = (scope) => {
  scope.post('/echo', async ({ body }) => ({ got: body === undefined ? 'nothing' : body }))
}
const start = (server: Record<string, unknown> = {}, options: ServerOptions = {}) =>
  startServer({ server, routes: { '': [echo] }, ...options })

const post = (server: TestServer, body: string | Uint8Array, headers = {}) =>
  server.request('/echo', { method: 'POST', body, headers })

/** Sends a chunked body and returns the status of the response. */
function postChunked(port: number, chunks: readonly string[]): Promise<number> {
  return new Promise((resolve, reject) => {
    const outgoing = send({ host: '127.0.0.1', port, path: '/echo', method: 'POST', agent: false }, (response) => {
      response.resume()
      resolve(response.statusCode ?? 0)
    })
    outgoing.on('error', reject)
    for (const chunk of chunks) outgoing.write(chunk)
    outgoing.end()
  })
}

describe('a body', () => {
  it.each([
    ['no media type', {}],
    ['JSON', { 'content-type': 'application/json' }],
    ['JSON with a charset', { 'content-type': 'Application/JSON; charset=UTF-8' }],
    ['JSON with a quoted charset', { 'content-type': 'application/json;charset="utf-8"' }],
  ])('with %s is read as JSON', async (_name, headers) => {
    const { status, body } = await post(await start(), '{"a":[1,2.5,"ä",null]}', headers)
    expect({ status, body }).toEqual({ status: 200, body: { got: { a: [1, 2.5, 'ä', null] } } })
  })

  it.each([
    ['text/plain'],
    ['application/x-www-form-urlencoded'],
    ['application/jsonx'],
    ['application/json; charset=latin1'],
    ['nonsense'],
    ['application/problem+json'],
  ])('of the media type %s is refused', async (mediaType) => {
    const { status, body } = await post(await start(), '{}', { 'content-type': mediaType })
    expect({ status, body }).toMatchObject({ status: 415, body: { error: 'media_type_unsupported' } })
  })

  it('of megabytes is read in a thread, with the same rules', async () => {
    const server = await start()
    const text = 'ä"\n'.repeat(300_000)
    expect((await post(server, JSON.stringify({ text }))).body).toEqual({ got: { text } })
    const { status, body } = await post(server, `{"text":${JSON.stringify(text)},"a":1,"a":2}`)
    expect({ status, body }).toMatchObject({
      status: 400,
      body: { error: 'invalid_request', message: expect.stringContaining('at $.a (line 1,') },
    })
  })

  it('that is compressed is refused', async () => {
    const { status, body } = await post(await start(), '{}', { 'content-encoding': 'gzip' })
    expect({ status, body }).toMatchObject({ status: 415, body: { details: { media_type: 'gzip encoding' } } })
  })

  it.each(['gzip, chunked', 'Identity, chunked'])('in the transfer encoding %s is refused', async (coding) => {
    const server = await start()
    const connection = await server.connect()
    connection.write(
      `POST /echo HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: ${coding}\r\n\r\n2\r\n{}\r\n0\r\n\r\n`,
    )
    await until(() => connection.heard().startsWith('HTTP/1.1 415'))
  })

  it.each<[string, string | Uint8Array, string]>([
    ['bad syntax', '{"a":', '$.a'],
    ['a key twice', '{"a":{"b":1,"b":2}}', '$.a.b'],
    ['bad UTF-8', Uint8Array.of(0x22, 0xff, 0x22), 'UTF-8'],
    ['a byte order mark', '\ufeff{}', 'byte order mark'],
    ['too deep nesting', '['.repeat(MAX_JSON_DEPTH + 1), 'deep'],
    ['more than one value', '{} {}', 'nothing may follow'],
    ['half a surrogate pair', '"\\ud800"', 'surrogate'],
    ['only white space', '  ', 'empty'],
  ])('with %s is refused, with the position of the problem', async (_name, text, says) => {
    const { status, body } = await post(await start(), text)
    expect({ status, body }).toMatchObject({ status: 400, body: { error: 'invalid_request' } })
    expect((body as { message: string }).message).toContain(says)
  })

  it('may be missing', async () => {
    const server = await start()
    const { body } = await server.request('/echo', { method: 'POST' })
    expect(body).toEqual({ got: 'nothing' })
  })

  it.each([[''], ['nonsense'], ['text/plain']])('that is missing may have the media type "%s"', async (mediaType) => {
    const { status, body } = await post(await start(), '', { 'content-type': mediaType })
    expect({ status, body }).toEqual({ status: 200, body: { got: 'nothing' } })
  })

  it.each(['DELETE', 'GET'])('is ignored with %s, even if it is invalid', async (method) => {
    const server = await startServer()
    const headers = { 'content-type': 'application/json' }
    const { status } = await server.request('/api/v1/sessions/0123456789abcdef', { method, headers, body: '{"a":' })
    expect(status).toBe(404)
  })

  it('keeps a key named __proto__', async () => {
    const { text } = await post(await start(), '{"__proto__":{"a":1}}')
    expect(text).toBe('{"got":{"__proto__":{"a":1}}}')
  })

  it('leaves the connection usable after it was refused', async () => {
    const server = await start()
    const connection = await server.connect()
    connection.write('POST /echo HTTP/1.1\r\nHost: localhost\r\nContent-Length: 2\r\n\r\n{x')
    await until(() => connection.heard().includes('invalid_request'))
    connection.write('POST /echo HTTP/1.1\r\nHost: localhost\r\nContent-Length: 2\r\nConnection: close\r\n\r\n{}')
    expect(await connection.ended()).toContain('{"got":{}}')
  })
})

describe('the limit on bodies', () => {
  it.each([
    [10, 200],
    [11, 413],
  ])('of 10 bytes answers %i bytes of declared length with %i', async (size, status) => {
    expect((await post(await start({ max_request_body_bytes: 10 }), `"${'x'.repeat(size - 2)}"`)).status).toBe(status)
  })

  it.each([
    [['"12345', '678"'], 200],
    [['"12345', '6789"'], 413],
  ])('of 10 bytes answers the chunks %j with %i', async (chunks, status) => {
    const server = await start({ max_request_body_bytes: 10 })
    expect(await postChunked(server.port, chunks)).toBe(status)
  })

  it('is disabled by 0', async () => {
    expect((await post(await start({ max_request_body_bytes: 0 }), `"${'x'.repeat(100_000)}"`)).status).toBe(200)
  })

  it('is 10 MiB by default, and no other limit is smaller', async () => {
    const server = await start()
    expect((await post(server, `"${'x'.repeat(10_485_758)}"`)).status).toBe(200)
    expect((await post(server, `"${'x'.repeat(10_485_759)}"`)).status).toBe(413)
  })

  it('refuses a declared length without waiting for the body', async () => {
    const server = await start({ max_request_body_bytes: 10 })
    const connection = await server.connect()
    connection.write('POST /echo HTTP/1.1\r\nHost: localhost\r\nContent-Length: 11\r\n\r\n')
    await until(() => connection.heard().startsWith('HTTP/1.1 413'))
  })

  it('refuses an endless body while it is still being sent', async () => {
    const server = await start({ max_request_body_bytes: 10 })
    const connection = await server.connect()
    connection.write('POST /echo HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n')
    connection.write('b\r\n12345678901\r\n')
    await until(() => connection.heard().startsWith('HTTP/1.1 413'))
  })
})

describe('a client that sends Expect: 100-continue', () => {
  const head = (length: number, more = '') =>
    `POST /echo HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nExpect: 100-continue\r\nContent-Length: ${length}\r\n${more}\r\n`

  it('gets 100 Continue if its body is accepted', async () => {
    const server = await start()
    const connection = await server.connect()
    connection.write(head(2))
    await until(() => connection.heard() === 'HTTP/1.1 100 Continue\r\n\r\n')
    connection.write('{}')
    expect(await connection.ended()).toContain('{"got":{}}')
  })

  it.each<[string, ServerOptions, string, number]>([
    ['the key is missing', { env: { DROVER_API_KEYS: 'k' } }, head(2), 401],
    ['the body is too large', {}, head(11), 413],
    ['the body is not JSON', {}, head(2, 'Content-Type: text/plain\r\n'), 415],
  ])('is refused without 100 Continue if %s', async (_name, options, asks, status) => {
    const server = await start({ max_request_body_bytes: 10 }, options)
    const connection = await server.connect()
    connection.write(asks)
    await until(() => connection.heard().startsWith(`HTTP/1.1 ${status}`))
    expect(connection.heard()).not.toContain('100 Continue')
  })
})

describe('a client', () => {
  it('that sends its body too slowly gets 408 in the error format of the path', async () => {
    const server = await start({ read_timeout_secs: 1 }, { routes: { '/openai/v1': [echo] } })
    const connection = await server.connect()
    connection.write(
      'POST /openai/v1/echo HTTP/1.1\r\nHost: localhost\r\nX-Request-Id: slow\r\nContent-Length: 10\r\n\r\n{',
    )
    const said = await connection.ended()
    expect(said).toMatch(/^HTTP\/1\.1 408 Request Timeout\r\n/)
    expect(said).toContain('x-request-id: slow\r\n')
    expect(said.toLowerCase()).toContain('connection: close\r\n')
    expect(JSON.parse(said.slice(said.indexOf('\r\n\r\n')))).toMatchObject({
      type: 'https://drover.dev/errors/request-timeout',
      detail: 'the request did not arrive completely within 1 seconds',
    })
    expect(server.access).toMatchObject([{ request_id: 'slow', status: 408, error: 'request_timeout' }])
  })

  it('that stops in the middle of its body gets 400', async () => {
    const server = await start()
    const connection = await server.connect()
    connection.socket.end('POST /echo HTTP/1.1\r\nHost: localhost\r\nContent-Length: 10\r\n\r\n{')
    expect(await connection.ended()).toMatch(/^HTTP\/1\.1 400 .*"error":"request_malformed"/s)
  })

  it('that disconnects in the middle of its body is logged with 499', async () => {
    const server = await start()
    const connection = await server.connect()
    connection.write('POST /echo HTTP/1.1\r\nHost: localhost\r\nExpect: 100-continue\r\nContent-Length: 10\r\n\r\n{')
    await until(() => connection.heard().includes('100 Continue'))
    connection.socket.resetAndDestroy()
    await until(() => server.access.length === 1)
    expect(server.access).toMatchObject([{ status: 499 }])
  })

  it('that sends an invalid chunk gets 400', async () => {
    const server = await start()
    const connection = await server.connect()
    connection.write('POST /echo HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n')
    expect(await connection.ended()).toMatch(/^HTTP\/1\.1 400 .*"error":"request_malformed"/s)
  })
})
