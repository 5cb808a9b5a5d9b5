/** Answers to wrong keys and wrong log-ins wait, and nothing else does. */
import { once } from 'node:events'
import { request as send } from 'node:http'
import { describe, expect, it, onTestFinished } from 'vitest'
import { WrongKeys } from '../../src/http/context/wrong-keys.ts'
import { type ServerOptions, startServer, type TestServer } from '../support/start-server.ts'
import { until } from '../support/until.ts'

const KEY = 'the-key-of-the-team'
const OTHER_KEY = 'the-key-of-a-guest'
const WRONG = { 'x-api-key': 'a-guess' }
const ENDPOINT = '/api/v1/executions'

/** Its delays are so long that a request that waits is still there when the test ends. */
async function serve(options: ServerOptions = {}) {
  const lines: object[] = []
  const log = { debug() {}, info() {}, error() {}, warn: (fields: object) => void lines.push(fields), with: () => log }
  const wrongKeys = new WrongKeys({ log, delays: { firstMs: 600_000, longestMs: 600_000 } })
  let started = 0
  const observer = { requestStarted: () => void started++ }
  const server = await startServer({
    ...options,
    env: { DROVER_API_KEYS: `${KEY},${OTHER_KEY}` },
    context: { wrongKeys, observer },
  })
  return { server, lines, started: () => started }
}

type Call = { path?: string; headers?: Record<string, string>; localAddress?: string; login?: object }

/** Sends a request and returns what its answer is, as far as there is one. */
function ask(server: TestServer, { path = ENDPOINT, headers = WRONG, localAddress = '127.0.0.1', login }: Call = {}) {
  const body = login === undefined ? undefined : JSON.stringify(login)
  const type = login === undefined ? {} : { 'content-type': 'application/json' }
  const method = login === undefined ? 'GET' : 'POST'
  const place = { host: '127.0.0.1', port: server.port, agent: false, localAddress }
  const outgoing = send({ ...place, path, method, headers: { ...type, ...headers } })
  onTestFinished(() => void outgoing.destroy())
  outgoing.on('error', () => {}).end(body)
  const asked = { status: 0, hangUp: () => void outgoing.destroy() }
  void once(outgoing, 'response').then(
    ([response]) => (asked.status = response.resume().statusCode),
    () => undefined,
  )
  return asked
}

/** The address is used up: its next wrong key waits. */
async function guessFive(server: TestServer, call: Call = {}): Promise<void> {
  for (let at = 0; at < 5; at += 1) {
    const asked = ask(server, call)
    expect(await until(() => asked.status)).toBe(401)
  }
}

const answered = (asked: { status: number }) => until(() => asked.status)

describe('an address that sends wrong keys', () => {
  it.each([
    ['an endpoint', {}],
    ['an unknown path', { path: '/nothing' }],
    ['the health check', { path: '/health' }],
    ['a compatible API', { path: '/openai/v1/models', headers: { authorization: 'Bearer a-guess' } }],
  ])('waits for the sixth answer of %s, while valid keys and other addresses do not', async (_name, call) => {
    const { server, lines } = await serve()
    await guessFive(server)
    const waiting = ask(server, call)
    expect(await answered(ask(server, { headers: { 'x-api-key': KEY } }))).toBe(200)
    expect(await answered(ask(server, { headers: {} }))).toBe(401)
    expect(await answered(ask(server, { path: '/health', headers: {} }))).toBe(200)
    expect(await answered(ask(server, { localAddress: '127.0.0.2' }))).toBe(401)
    expect(await answered(ask(server, { path: '/api/v1/login', headers: {}, login: { key: KEY } }))).toBe(200)
    expect(waiting.status).toBe(0)
    expect(lines).toEqual([{ client: '127.0.0.1' }])
  })

  it('waits also for wrong log-ins, by key or by link, which count together', async () => {
    const { server } = await serve()
    const logIn = (login: object) => ask(server, { path: '/api/v1/login', headers: {}, login })
    for (const login of [{ key: 'a' }, { link: 'b' }, { key: 'c' }, { link: 'd' }, { key: 'e' }]) {
      expect(await answered(logIn(login))).toBe(401)
    }
    const waiting = [logIn({ key: 'f' }), logIn({ link: 'g' }), ask(server)]
    expect(await answered(logIn({ key: KEY }))).toBe(200)
    expect(waiting.map(({ status }) => status)).toEqual([0, 0, 0])
  })

  it('has at most 8 requests that wait; the next gets 429', async () => {
    const { server, started } = await serve()
    await guessFive(server)
    const waiting = Array.from({ length: 8 }, () => ask(server))
    await until(() => started() === 13)
    const refused = await server.request(ENDPOINT, { headers: WRONG })
    expect(refused).toMatchObject({
      status: 429,
      headers: { 'retry-after': '600', connection: 'close' },
      body: { error: 'too_many_wrong_keys', message: expect.stringContaining('check the key') },
    })
    expect(waiting.map(({ status }) => status)).toEqual(Array(8).fill(0))
  })

  it.each([
    ['an endpoint', (server: TestServer, key: string) => server.request(ENDPOINT, { headers: { 'x-api-key': key } })],
    [
      'a log-in',
      (server: TestServer, key: string) => server.request('/api/v1/login', { method: 'POST', body: { key } }),
    ],
  ])(
    'learns nothing about further keys at %s while 8 are to be answered, even if it hangs up',
    async (_name, guess) => {
      const { server, started } = await serve({ server: { rate_limit_enabled: true, rate_limit_burst: 100 } })
      await guessFive(server)
      const waiting = Array.from({ length: 8 }, () => ask(server))
      await until(() => started() === 13)
      for (const { hangUp } of waiting) hangUp()
      await until(() => server.access.filter(({ status }) => status === 499).length === 8)
      const [right, wrong] = [await guess(server, KEY), await guess(server, 'another-guess')]
      expect([right.status, wrong.status]).toEqual([429, 429])
      expect([right.text, Object.keys(right.headers)]).toEqual([wrong.text, Object.keys(wrong.headers)])
      expect(right.headers['ratelimit-limit']).toBe(wrong.headers['ratelimit-limit'])
      expect(await answered(ask(server, { localAddress: '127.0.0.2', headers: { 'x-api-key': KEY } }))).toBe(200)
    },
  )

  it('does not lock out keys that were accepted from it before, nor logins', async () => {
    const { server, started } = await serve()
    const send = { 'x-api-key': KEY }
    expect(await answered(ask(server, { headers: send }))).toBe(200)
    const link = server.context.logins.createLink()
    await guessFive(server)
    Array.from({ length: 8 }, () => ask(server))
    await until(() => started() === 14)
    expect(await answered(ask(server))).toBe(429)
    expect(await answered(ask(server, { headers: send }))).toBe(200)
    expect(await answered(ask(server, { path: '/api/v1/login', headers: {}, login: { key: KEY } }))).toBe(200)
    expect(await answered(ask(server, { path: '/api/v1/login', headers: {}, login: { link } }))).toBe(200)
    const { token = '', secret = '' } = server.context.logins.useLink(server.context.logins.createLink()) ?? {}
    const page = { cookie: `drover_login_${server.port}=${token}`, 'x-drover-page-secret': secret }
    expect(await answered(ask(server, { headers: page }))).toBe(200)
    expect(await answered(ask(server, { headers: { 'x-api-key': OTHER_KEY } }))).toBe(429)
  })

  it('does not wait for the health of a server without free connections, and so takes no place in the reserve', async () => {
    const { server } = await serve({ server: { max_connections: 1, max_connections_per_address: 9 } })
    await guessFive(server)
    expect(await answered(ask(server, { path: '/api/v1/events', headers: { 'x-api-key': KEY } }))).toBe(200)
    expect(await answered(ask(server, { path: '/health' }))).toBe(200)
  })

  it('is that of the client behind a trusted proxy, by /64 network of IPv6', async () => {
    const { server } = await serve({ server: { trusted_proxies: ['127.0.0.1'] } })
    const from = (address: string) => ({ headers: { ...WRONG, 'x-forwarded-for': address } })
    await guessFive(server, from('2001:db8::1'))
    const waiting = ask(server, from('2001:db8::2'))
    await guessFive(server, from('2001:db8:0:1::1'))
    await guessFive(server, from('203.0.113.7'))
    expect(waiting.status).toBe(0)
  })

  it('is none on a Unix socket, nor where there are no keys', async () => {
    const { server } = await serve({ isOnSocket: true })
    for (let at = 0; at < 7; at += 1) expect((await server.request(ENDPOINT, { headers: WRONG })).status).toBe(401)
    const open = await startServer()
    for (let at = 0; at < 7; at += 1) expect((await open.request(ENDPOINT, { headers: WRONG })).status).toBe(200)
  })
})
