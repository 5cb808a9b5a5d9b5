/** How many connections and open requests a server has, and who is refused. */
import { once } from 'node:events'
import { request as send } from 'node:http'
import { connect, type Socket } from 'node:net'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { closeLocally, listenLocally } from '../../src/http/listen.ts'
import { openStream } from '../support/read-stream.ts'
import { portOf, serveDrover } from '../support/serve-drover.ts'
import { ask, startServer, type TestServer } from '../support/start-server.ts'
import { until } from '../support/until.ts'

const KEYS = { DROVER_API_KEYS: 'the-key-of-ada,the-key-of-bob' }
const [ADA, BOB] = [{ 'x-api-key': 'the-key-of-ada' }, { 'x-api-key': 'the-key-of-bob' }]

const EVENTS = '/api/v1/events'

/** One endpoint of each API, with the form of its errors. */
const errorsOf = (code: string, status: number) => {
  const type = `https://drover.dev/errors/${code.replaceAll('_', '-')}`
  return [
    ['/api/v1/executions', { error: code }],
    ['/openai/v1/models', { type, status, error: { code, message: expect.any(String) } }],
    [
      '/anthropic/v1/models',
      { type, status, error: { type: expect.stringMatching(/^(?:rate_limit|overloaded)_error$/) } },
    ],
  ] as const
}

const GET_HEALTH = 'GET /health HTTP/1.1\r\nHost: localhost\r\n\r\n'

/** A body of which only the first byte comes. The server says that it waits for it. */
const slowly = (path: string, header = '') =>
  `POST ${path} HTTP/1.1\r\nHost: localhost\r\n${header}Content-Length: 100\r\nExpect: 100-continue\r\n\r\n{`

/** Connections that send nothing, or nothing after their first request. */
async function connectIdly(port: number, count: number, first = ''): Promise<{ sockets: Socket[]; closed(): number }> {
  let closed = 0
  const sockets: Socket[] = []
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy()
  })
  for (let at = 0; at < count; at += 1) {
    const socket = connect({ host: '127.0.0.1', port })
    socket.on('error', () => {}).on('close', () => (closed += 1))
    sockets.push(socket)
    await once(socket, 'connect')
    if (first === '') continue
    socket.write(first)
    await once(socket, 'data')
  }
  return { sockets, closed: () => closed }
}

/** A stream from one of the addresses of this machine. */
async function follow(server: TestServer, localAddress: string): Promise<number> {
  const outgoing = send({
    host: '127.0.0.1',
    port: server.port,
    path: EVENTS,
    agent: false,
    localAddress,
    headers: ADA,
  })
  onTestFinished(() => void outgoing.destroy())
  outgoing.end()
  const [response] = await once(outgoing, 'response')
  return response.statusCode
}

const limited = (server: Record<string, number | string[]>) => startServer({ env: KEYS, server })
const linesAbout = ({ logged }: TestServer, text: string) => logged.filter(({ message }) => message.includes(text))

describe('connections', () => {
  it('are answered up to the limit; one more gets 503 in the form of its API, but /health is answered', async () => {
    const server = await limited({ max_connections: 3, max_connections_per_address: 9 })
    const open = () => openStream({ port: server.port, path: EVENTS, method: 'GET', headers: ADA })
    const streams = [await open(), await open(), await open()]
    expect(streams.map(({ status }) => status)).toEqual([200, 200, 200])
    for (const [path, body] of errorsOf('too_many_connections', 503)) {
      const answer = await server.request(path, { headers: ADA })
      expect(answer).toMatchObject({ status: 503, body, headers: { 'retry-after': '5', connection: 'close' } })
    }
    expect(await server.request('/health')).toMatchObject({ status: 200, headers: { connection: 'close' } })
    expect(linesAbout(server, 'connections')).toHaveLength(1)
    streams[0]?.hangUp()
    await until(async () => (await server.request('/api/v1/executions', { headers: ADA })).status === 200)
  })

  it.each([
    ['have sent nothing', ''],
    ['wait for their next request', GET_HEALTH],
    ['send a log-in slowly', slowly('/api/v1/login')],
  ])('that %s make room for new ones, the oldest first', async (_name, first) => {
    const server = await limited({ max_connections: 3, max_connections_per_address: 9 })
    const { sockets, closed } = await connectIdly(server.port, 10, first)
    await until(() => closed() === 7)
    expect(sockets.map(({ destroyed }) => destroyed)).toEqual([...Array(7).fill(true), ...Array(3).fill(false)])
    for (const _ of [1, 2, 3]) expect((await server.request('/api/v1/executions', { headers: ADA })).status).toBe(200)
    expect(linesAbout(server, 'connections')).toHaveLength(1)
  })

  it('that send a request with a valid key slowly are in use', async () => {
    const server = await limited({ max_connections: 2, max_connections_per_address: 9 })
    const { closed } = await connectIdly(server.port, 2, slowly('/api/v1/prompt', 'X-Api-Key: the-key-of-ada\r\n'))
    expect((await server.request('/api/v1/executions', { headers: ADA })).status).toBe(503)
    expect(closed()).toBe(0)
  })

  it('of one address have a limit of their own, which others do not notice', async () => {
    const server = await limited({ max_connections: 10, max_connections_per_address: 2 })
    expect([await follow(server, '127.0.0.1'), await follow(server, '127.0.0.1')]).toEqual([200, 200])
    for (const [path, body] of errorsOf('too_many_connections_of_address', 429)) {
      const answer = await server.request(path, { headers: ADA })
      expect(answer).toMatchObject({ status: 429, body, headers: { 'retry-after': '5', connection: 'close' } })
    }
    expect((await server.request('/health')).status).toBe(200)
    expect([await follow(server, '127.0.0.2'), await follow(server, '127.0.0.3')]).toEqual([200, 200])
    expect(linesAbout(server, 'connections')).toHaveLength(1)
  })

  it('of a trusted proxy have no limit for one address, and those on the socket of the user have none at all', async () => {
    const server = await limited({
      max_connections: 4,
      max_connections_per_address: 1,
      trusted_proxies: ['127.0.0.1'],
    })
    for (const _ of [1, 2, 3, 4]) expect(await follow(server, '127.0.0.1')).toBe(200)
    expect(await follow(server, '127.0.0.1')).toBe(503)
    const socketPath = join(server.home, 'server.sock')
    await listenLocally(server.http.localListener, socketPath, server.context.log)
    onTestFinished(() => closeLocally(server.http.localListener))
    for (const _ of [1, 2, 3]) expect((await ask({ socketPath, path: '/api/v1/executions' })).status).toBe(200)
  })

  it('beyond the number of files that the process may open leave /health, the keys and the socket usable', async () => {
    const serving = serveDrover(['-p', '0', '--demo'], KEYS, { limit: 'ulimit -n 1024' })
    const port = await portOf(serving)
    await connectIdly(port, 1500)
    expect((await ask({ port, path: '/health' })).status).toBe(200)
    expect((await ask({ port, path: '/api/v1/executions', headers: ADA })).status).toBe(200)
    const socketPath = join(serving.home, '.drover', 'server.sock')
    expect((await ask({ socketPath, path: '/api/v1/executions' })).status).toBe(200)
    expect(serving.heard.stderr.split('\n').filter((line) => line.includes('connections'))).toHaveLength(1)
  })
})

describe('the open requests of a key', () => {
  it('are as many as the limit; one more gets 429 in the form of its API, and other keys notice nothing', async () => {
    const server = await limited({ max_open_requests_per_key: 2 })
    const open = () => openStream({ port: server.port, path: EVENTS, method: 'GET', headers: ADA })
    const streams = [await open(), await open()]
    expect(streams.map(({ status }) => status)).toEqual([200, 200])
    for (const [path, body] of errorsOf('too_many_open_requests', 429)) {
      const answer = await server.request(path, { headers: ADA })
      expect(answer).toMatchObject({ status: 429, body, headers: { 'retry-after': '5' } })
    }
    expect((await server.request('/health', { headers: ADA })).status).toBe(200)
    expect((await server.request('/api/v1/executions', { headers: BOB })).status).toBe(200)
    expect(linesAbout(server, 'open requests')).toHaveLength(1)
    streams[0]?.hangUp()
    await until(async () => (await server.request('/api/v1/executions', { headers: ADA })).status === 200)
  })

  it('are those of its address where there are no keys, and have no limit with 0', async () => {
    const server = await startServer({ server: { max_open_requests_per_key: 1 } })
    expect(await follow(server, '127.0.0.1')).toBe(200)
    expect(await follow(server, '127.0.0.1')).toBe(429)
    expect(await follow(server, '127.0.0.2')).toBe(200)
    const unlimited = await startServer({ server: { max_open_requests_per_key: 0 } })
    for (const _ of [1, 2, 3]) expect(await follow(unlimited, '127.0.0.1')).toBe(200)
  })

  it('are 256 by default', async () => {
    const server = await startServer({ env: KEYS })
    const statuses = await Promise.all(Array.from({ length: 300 }, () => follow(server, '127.0.0.1')))
    expect(statuses.filter((status) => status === 200)).toHaveLength(256)
    expect(statuses.filter((status) => status === 429)).toHaveLength(44)
  })
})
