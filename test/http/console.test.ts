/** The files of the console, and who may log in to it. */
import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { gunzipSync, gzipSync } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import { DROVER } from '../support/run-drover.ts'
import { startServer, type TestServer } from '../support/start-server.ts'
import { until } from '../support/until.ts'

const FILES = join(dirname(DROVER), '..', 'dist', 'console')
const KEY = 'a-key-that-is-long-enough'
const withKey = { env: { DROVER_API_KEYS: KEY } }

const assetsIn = (page: string) => [...page.matchAll(/(?:src|href)="(console\/[^"]+)"/g)].map(([, path]) => `/${path}`)

describe('GET /', () => {
  it('is a page that loads only files of the server, which never change', async () => {
    const server = await startServer()
    const { status, headers, text } = await server.request('/')
    expect({ status, type: headers['content-type'] }).toEqual({ status: 200, type: 'text/html; charset=utf-8' })
    expect(headers['content-security-policy']).toContain("default-src 'none'; script-src 'self'")
    expect(headers).toMatchObject({ 'cache-control': 'no-cache', 'referrer-policy': 'no-referrer' })
    const paths = assetsIn(text)
    expect(paths.length).toBeGreaterThan(2)
    expect(text).not.toMatch(/https?:\/\/|<script>|<style|\son\w+=/)
    for (const path of paths) {
      const asset = await server.request(path)
      expect([path, asset.status, asset.headers['cache-control']]).toEqual([
        path,
        200,
        'public, max-age=31536000, immutable',
      ])
    }
    expect((await server.request('/', { headers: { 'if-none-match': headers.etag } })).status).toBe(304)
  })

  it('sends its files compressed to clients that accept it', async () => {
    const server = await startServer()
    const [path = ''] = assetsIn((await server.request('/')).text).filter((each) => each.endsWith('.js'))
    const response = await fetch(`${server.url}${path}`, { headers: { 'accept-encoding': 'gzip' } })
    expect(response.headers.get('content-encoding')).toBe('gzip')
    const plain = await server.request(path, { headers: { 'accept-encoding': 'identity' } })
    expect(plain.headers['content-encoding']).toBeUndefined()
    expect(await response.text()).toBe(plain.text)
    expect(gunzipSync(gzipSync(plain.text)).toString()).toBe(plain.text)
  })

  it('needs at most 60 kB of compressed script for the first page', () => {
    const page = readFileSync(join(FILES, 'page.html'), 'utf8')
    const scripts = assetsIn(page).filter((path) => path.endsWith('.js'))
    const sizes = scripts.map((path) => gzipSync(readFileSync(join(FILES, path.replace('/console/', '')))).length)
    expect(sizes.reduce((sum, size) => sum + size, 0)).toBeLessThanOrEqual(60 * 1024)
    const all = readdirSync(FILES).filter((name) => name.endsWith('.js'))
    expect(all.length).toBeGreaterThan(scripts.length)
  })

  it('has no other files', async () => {
    const server = await startServer()
    for (const path of ['/console/page.html', '/console/..%2fdrover.cjs', '/console/nothing.js']) {
      expect([path, (await server.request(path)).status]).toEqual([path, 404])
    }
  })

  it('is not there with server.console: false', async () => {
    const server = await startServer({ server: { console: false } })
    expect((await server.request('/')).status).toBe(404)
    expect((await server.request('/api/v1/backends')).status).toBe(200)
  })

  it('says how to build it where it is not built', async () => {
    const server = await startServer({ context: { consoleDirectory: '/nowhere' } })
    expect(await server.request('/')).toMatchObject({ status: 404, body: { error: 'console_not_built' } })
  })

  it('needs no key, but its data does', async () => {
    const server = await startServer(withKey)
    expect((await server.request('/')).status).toBe(200)
    expect((await server.request('/api/v1/me')).status).toBe(401)
  })
})

/** A browser: sends its cookie and the secret of its page. */
async function logIn(server: TestServer, body: object, headers: Record<string, string> = {}) {
  const answer = await server.request('/api/v1/login', { method: 'POST', body, headers })
  const [cookie = ''] = answer.headers['set-cookie'] ?? []
  const { page_secret: secret = '' } = (answer.body ?? {}) as { page_secret?: string }
  const own = { cookie: cookie.split(';')[0] ?? '', 'x-drover-page-secret': secret }
  const request = (path: string, options: Parameters<TestServer['request']>[1] = {}) =>
    server.request(path, { ...options, headers: { ...own, ...options.headers } })
  return { answer, cookie, own, request }
}

describe('a login with a key', () => {
  it('sets a cookie that scripts cannot read and other sites cannot send', async () => {
    const server = await startServer(withKey)
    const { answer, cookie } = await logIn(server, { key: KEY })
    expect(answer).toMatchObject({ status: 200, body: { auth: 'login', role: 'client', may_decide: true } })
    expect(cookie).toMatch(
      new RegExp(`^drover_login_${server.port}=[0-9a-f]{64}; Path=/; Max-Age=604800; HttpOnly; SameSite=Strict$`),
    )
  })

  it('gives access with the cookie and the secret of the page, which no other answer has', async () => {
    const server = await startServer(withKey)
    const browser = await logIn(server, { key: KEY })
    expect((await browser.request('/api/v1/executions')).status).toBe(200)
    const me = await browser.request('/api/v1/me')
    expect(me).toMatchObject({ status: 200, body: { auth: 'login' } })
    expect(me.text).not.toContain(browser.own['x-drover-page-secret'])
    expect(browser.cookie).not.toContain(browser.own['x-drover-page-secret'])
    expect((await server.request('/', { headers: { cookie: browser.own.cookie } })).status).toBe(200)
  })

  it.each<[string, string]>([
    ['GET', '/api/v1/me'],
    ['GET', '/api/v1/executions'],
    ['GET', '/api/v1/events'],
    ['GET', '/openai/v1/models'],
    ['GET', '/metrics'],
    ['POST', '/api/v1/prompt'],
    ['POST', '/api/v1/logout'],
  ])('is nothing without the secret of the page: %s %s', async (method, path) => {
    const server = await startServer({ ...withKey, server: { metrics_enabled: true } })
    const { own } = await logIn(server, { key: KEY })
    for (const secret of [{}, { 'x-drover-page-secret': 'f'.repeat(64) }, { 'x-drover-page-secret': '' }]) {
      const headers = { cookie: own.cookie, ...secret }
      expect((await server.request(path, { method, headers })).status).toBe(401)
    }
  })

  it.each([
    { origin: 'http://localhost:3000' },
    { origin: 'https://evil.example' },
    { 'sec-fetch-site': 'same-site' },
    { 'sec-fetch-site': 'cross-site' },
  ])('ignores the cookie in a request of another page: %j', async (headers) => {
    const server = await startServer(withKey)
    const browser = await logIn(server, { key: KEY })
    expect((await browser.request('/api/v1/me', { headers })).status).toBe(401)
    expect((await browser.request('/api/v1/executions', { headers })).status).toBe(401)
    expect((await logIn(server, { key: KEY }, headers)).answer.status).toBe(403)
  })

  it('reads at most 4 KiB of a sender without a key, however they are sent', async () => {
    const server = await startServer(withKey)
    const sized = (bytes: number) => ({ key: 'x'.repeat(bytes - '{"key":""}'.length) })
    expect((await logIn(server, sized(4096))).answer).toMatchObject({ status: 400, body: { error: 'invalid_request' } })
    const tooLarge = { status: 413, body: { error: 'request_too_large' } }
    expect((await logIn(server, sized(4097))).answer).toMatchObject(tooLarge)
    const connection = await server.connect()
    const json = 'Content-Type: application/json'
    connection.write(
      `POST /api/v1/login HTTP/1.1\r\nHost: localhost:${server.port}\r\n${json}\r\nTransfer-Encoding: chunked\r\n\r\n`,
    )
    connection.write(`1001\r\n${' '.repeat(4097)}\r\n`)
    await until(() => connection.heard().startsWith('HTTP/1.1 413'))
    expect((await logIn(server, sized(4097), { 'x-api-key': KEY })).answer.status).toBe(400)
  })

  it.each([
    [{ key: 'wrong' }, 401, 'login_failed'],
    [{ link: 'wrong' }, 401, 'login_failed'],
    [{}, 401, 'login_failed'],
    [{ key: KEY, more: 1 }, 400, 'invalid_request'],
    [{ key: '' }, 400, 'invalid_request'],
  ])('refuses %j', async (body, status, error) => {
    const { answer } = await logIn(await startServer(withKey), body)
    expect(answer).toMatchObject({ status, body: { error } })
    expect(answer.headers['set-cookie']).toBeUndefined()
  })

  it('ends with a logout', async () => {
    const server = await startServer(withKey)
    const browser = await logIn(server, { key: KEY })
    const answer = await browser.request('/api/v1/logout', { method: 'POST' })
    expect(answer).toMatchObject({ status: 200, body: { logged_out: true } })
    expect(answer.headers['set-cookie']?.[0]).toContain('=; Path=/; Max-Age=0;')
    expect((await browser.request('/api/v1/executions')).status).toBe(401)
  })

  it('is not needed without keys', async () => {
    const server = await startServer()
    expect(await server.request('/api/v1/me')).toMatchObject({
      status: 200,
      body: { auth: 'none', role: 'admin', workdir: server.workdir, workdirs: [] },
    })
    expect((await logIn(server, { key: KEY })).answer).toMatchObject({
      status: 409,
      body: { error: 'login_not_needed' },
    })
  })

  it('shows a client only its own executions, and an operator all', async () => {
    const other = 'another-key-of-the-server'
    const server = await startServer({ env: { DROVER_API_KEYS: `${KEY},${other}` } })
    const body = { backend: 'claude', prompt: 'hello', workdir: server.workdir }
    await server.request('/api/v1/prompt', { method: 'POST', body, headers: { 'x-api-key': other } })
    const countOf = async (credential: object) => {
      const { body: page } = await (await logIn(server, credential)).request('/api/v1/executions')
      return (page as { executions: unknown[] }).executions.length
    }
    expect(await countOf({ key: KEY })).toBe(0)
    expect(await countOf({ key: other })).toBe(1)
    expect(await countOf({ link: server.context.logins.createLink() })).toBe(1)
  })
})

describe('a login with a one-time link', () => {
  it('works once, also for a browser that is logged in', async () => {
    const server = await startServer(withKey)
    const link = server.context.logins.createLink()
    const first = await logIn(server, { link })
    expect(first.answer).toMatchObject({ status: 200, body: { role: 'admin', name: 'console@local' } })
    expect((await logIn(server, { link })).answer.status).toBe(401)
    const again = { link: server.context.logins.createLink() }
    expect((await logIn(server, again, { cookie: first.own.cookie })).answer.status).toBe(200)
  })
})
