/** Notifications of browsers: who gets which, what push services receive, and when a browser is forgotten. */
import { statSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { digest } from '../../src/kit/digest.ts'
import { toTestEvent } from '../../src/notify/notify-event.ts'
import { claimsOf, createBrowser, startPushService } from '../support/push-service.ts'
import { startServer, type TestServer } from '../support/start-server.ts'
import { until } from '../support/until.ts'

const NAMES = ['ada', 'bob', 'boss']
const KEYS = NAMES.map((name) => ({
  ...{ name, id: `key_${digest(name).slice(7, 31)}`, sha256: digest(`key-of-${name}`).slice(7) },
  role: name === 'boss' ? 'operator' : 'client',
}))
const TARGET = { name: 'all', type: 'browsers' }

type Headers = Record<string, string>

const start = (options: { targets?: object[]; keys?: object[] } = {}) =>
  startServer({
    server: { keys: options.keys ?? KEYS, public_url: 'https://drover.example.com' },
    config: { notify: { targets: options.targets ?? [TARGET], push_hosts: ['localhost'] } },
  })

async function logIn(server: TestServer, name: string): Promise<Headers> {
  const { headers, body } = await server.request('/api/v1/login', { method: 'POST', body: { key: `key-of-${name}` } })
  const [cookie = ''] = headers['set-cookie'] ?? []
  return { cookie: cookie.split(';')[0] ?? '', 'x-drover-page-secret': (body as Headers)['page_secret'] ?? '' }
}

const post = (server: TestServer, body: unknown, headers: Headers) =>
  server.request('/api/v1/push', { method: 'POST', body, headers })

/** A server, and a browser of each key. */
async function startWithBrowsers() {
  const [server, service] = [await start(), await startPushService()]
  const browsers = new Map<string, ReturnType<typeof createBrowser> & { as: Headers }>()
  for (const name of NAMES) {
    const as = await logIn(server, name)
    const browser = createBrowser(`${service.origin}/${name}`)
    expect((await post(server, browser.subscription, as)).status).toBe(201)
    browsers.set(name, { ...browser, as })
  }
  await server.context.drover.begin()
  const { announcements, opened } = server.context.drover
  const event = {
    ...toTestEvent('msg_1', '2026-01-01T00:00:00Z', 'https://drover.example.com/#/runs/1'),
    text: 'Knots?',
  }
  const announce = (id: string, keyId?: string) => announcements.announce({ ...event, id, keyId })
  const names = () => service.pushed.map(({ path }) => path.slice(1)).sort()
  return { server, service, browsers, announce, names, outbox: opened.outbox }
}

describe('a browser that is subscribed', () => {
  it('is told what its key may see: encrypted for it, and signed by this server', async () => {
    const { server, service, browsers, announce, names, outbox } = await startWithBrowsers()
    await announce('msg_ada', KEYS[0]?.id)
    await announce('msg_all')
    await until(() => service.pushed.length === 3)
    expect(names()).toEqual(['ada', 'boss', 'boss'])
    expect(await outbox.count()).toHaveLength(2)
    const { body } = await server.request('/api/v1/push', { headers: browsers.get('ada')?.as ?? {} })
    const { public_key: publicKey } = body as { public_key: string }
    for (const pushed of service.pushed) {
      const claims = claimsOf(pushed, publicKey)
      expect(claims).toMatchObject({ aud: service.origin, sub: 'https://drover.example.com' })
      expect(claims.exp).toBeGreaterThan(Date.now() / 1000)
      expect(claims.exp).toBeLessThan(Date.now() / 1000 + 86_400)
      expect(pushed.headers).toMatchObject({ ttl: '86400', 'content-encoding': 'aes128gcm' })
      expect(pushed.body.toString('latin1')).not.toContain('Knots')
    }
    const own = service.pushed.find(({ path }) => path === '/ada')
    expect(browsers.get('ada')?.decrypt(own?.body ?? Buffer.alloc(0))).toEqual({
      ...{ id: 'msg_ada', title: 'drover: a test', text: 'Knots?', url: 'https://drover.example.com/#/runs/1' },
    })
    expect(() => browsers.get('bob')?.decrypt(own?.body ?? Buffer.alloc(0))).toThrow()
    expect(statSync(join(server.home, 'push-key.json')).mode & 0o777).toBe(0o600)
  })

  it.each([
    ['its push service does not know it any more', async ({ service }) => service.answerWith(410)],
    ['its push service has lost it', async ({ service }) => service.answerWith(404)],
    ['its key is revoked', async ({ server }) => await server.changeKeys(KEYS.slice(1))],
    [
      'its key is rotated',
      async ({ server }) => {
        const [ada, ...others] = KEYS
        await server.changeKeys([{ ...ada, sha256: digest('a new secret of ada').slice(7) }, ...others])
      },
    ],
    [
      'it is logged out',
      async ({ server, browsers }) =>
        void (await server.request('/api/v1/logout', { method: 'POST', headers: browsers.get('ada')?.as ?? {} })),
    ],
    [
      'it wants so',
      async ({ server, browsers }) =>
        void (await server.request('/api/v1/push', { method: 'DELETE', headers: browsers.get('ada')?.as ?? {} })),
    ],
  ] as [string, (started: Awaited<ReturnType<typeof startWithBrowsers>>) => Promise<void>][])(
    'is forgotten when %s',
    async (name, change) => {
      const started = await startWithBrowsers()
      const { server, announce } = started
      await change(started)
      await announce('msg_ada', KEYS[0]?.id)
      const push = await server.context.drover.announcements.push()
      const endpoints = async () =>
        ((await push?.browsersOf(TARGET as never)) ?? []).map(({ browser }) => new URL(browser.endpoint).pathname)
      await until(async () => !(await endpoints()).includes('/ada'))
      // Nothing else is forgotten, unless its service says the same.
      const others = name.includes('service') ? ['/bob'] : ['/bob', '/boss']
      await until(async () => (await endpoints()).join() === others.join())
    },
  )

  it('is told again after a failure, and a redirect is not followed', async () => {
    const { service, announce, outbox } = await startWithBrowsers()
    service.answerWith(307)
    await announce('msg_ada', KEYS[0]?.id)
    await until(() => service.pushed.length === 2)
    service.answerWith(201)
    await until(async () => (await outbox.count()).every(({ waiting }) => waiting === 0))
    expect(service.pushed.length).toBe(4)
  })
})

describe('a subscription', () => {
  const { subscription } = createBrowser('https://localhost:1/x')

  it.each([
    ['without https', { endpoint: 'http://localhost/x' }, 'push_address_not_allowed'],
    ['of another host', { endpoint: 'https://127.0.0.1/x' }, 'push_address_not_allowed'],
    ['of a host with a similar name', { endpoint: 'https://localhost.evil.example/x' }, 'push_address_not_allowed'],
    ['with a user', { endpoint: 'https://localhost@evil.example/x' }, 'push_address_not_allowed'],
    ['without an address', { endpoint: 'localhost' }, 'push_address_not_allowed'],
    ['with a key that is none', { keys: { ...subscription.keys, p256dh: 'x' } }, 'push_keys_invalid'],
    ['with a secret that is too long', { keys: { ...subscription.keys, auth: 'x'.repeat(23) } }, 'push_keys_invalid'],
  ])('%s is refused', async (_, change, error) => {
    const server = await start()
    const { status, body } = await post(server, { ...subscription, ...change }, await logIn(server, 'ada'))
    expect([status, body]).toEqual([400, expect.objectContaining({ error })])
  })

  it('needs a login and a target', async () => {
    const server = await start()
    expect(await post(server, subscription, { 'x-api-key': 'key-of-ada' })).toMatchObject({
      ...{ status: 409, body: { error: 'push_needs_login' } },
    })
    expect((await post(server, subscription, {})).status).toBe(401)
    const without = await start({ targets: [] })
    const as = await logIn(without, 'ada')
    expect((await without.request('/api/v1/push', { headers: as })).body).toEqual({})
    expect(await post(without, subscription, as)).toMatchObject({ status: 409, body: { error: 'push_is_off' } })
  })
})
