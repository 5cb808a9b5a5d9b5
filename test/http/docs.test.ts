import { describe, expect, it } from 'vitest'
import { startServer } from '../support/start-server.ts'

const ASSETS = [
  ['start.js', 'text/javascript; charset=utf-8'],
  ['swagger-ui-bundle.js', 'text/javascript; charset=utf-8'],
  ['swagger-ui.css', 'text/css; charset=utf-8'],
  ['favicon-32x32.png', 'image/png'],
]

describe('GET /docs', () => {
  it('is a page without inline scripts that loads files of this server only', async () => {
    const server = await startServer()
    const { status, headers, text } = await server.request('/docs')
    expect({ status, type: headers['content-type'] }).toEqual({ status: 200, type: 'text/html; charset=utf-8' })
    const addresses = [...text.matchAll(/(?:src|href)="([^"]*)"/g)].map(([, address]) => address)
    expect(addresses.length).toBeGreaterThan(3)
    expect(addresses.filter((address) => /^(?:[a-z]+:|\/)/.test(address ?? ''))).toEqual([])
    expect(text).not.toMatch(/<script(?![^>]*\ssrc=)|\son[a-z]+=|<style/)
  })

  it('allows only scripts and calls of its own origin, and no frames', async () => {
    const server = await startServer()
    const policy = String((await server.request('/docs')).headers['content-security-policy']).split('; ')
    expect(policy).toEqual(
      expect.arrayContaining([
        "default-src 'none'",
        "script-src 'self'",
        "connect-src 'self'",
        "frame-ancestors 'none'",
        "base-uri 'none'",
      ]),
    )
    expect(policy.join()).not.toMatch(/unsafe|https?:|\*/)
  })

  it('needs no API key, and neither do its files', async () => {
    const server = await startServer({ env: { DROVER_API_KEYS: 'one' } })
    for (const path of ['/docs', ...ASSETS.map(([name]) => `/docs/${name}`)]) {
      expect(await server.request(path), path).toMatchObject({ status: 200 })
    }
  })

  it('redirects from a path with a trailing slash', async () => {
    const server = await startServer()
    expect(await server.request('/docs/')).toMatchObject({ status: 308, headers: { location: '../docs' } })
  })

  it.each(['/docs', '/docs/swagger-ui.css'])('answers HEAD of %s without a body', async (path) => {
    const server = await startServer()
    const { headers, text } = await server.request(path)
    const head = await server.request(path, { method: 'HEAD' })
    const same = { 'content-type': headers['content-type'], etag: headers.etag }
    expect(head).toMatchObject({ status: 200, text: '', headers: same })
    expect(Number(head.headers['content-length'])).toBe(Buffer.byteLength(text))
  })
})

describe('GET /docs/{asset}', () => {
  it.each(['/docs/', '/docs/start.js', '/docs/start%2ejs'])('is the only method of %s', async (path) => {
    const { status, headers } = await (await startServer()).request(path, { method: 'POST' })
    expect({ status, allow: headers.allow }).toEqual({ status: 405, allow: 'GET, HEAD' })
  })

  it.each(ASSETS)('sends %s as %s, and 304 the second time', async (name, type) => {
    const server = await startServer()
    const { status, headers, text } = await server.request(`/docs/${name}`)
    expect({ status, type: headers['content-type'] }).toEqual({ status: 200, type })
    expect(headers).toMatchObject({ 'cache-control': 'no-cache', 'x-content-type-options': 'nosniff' })
    expect(text.length).toBeGreaterThan(100)
    const again = await server.request(`/docs/${name}`, { headers: { 'if-none-match': headers.etag ?? '' } })
    expect(again).toMatchObject({ status: 304, text: '' })
  })

  it.each([
    'package.json',
    'absolute-path.js',
    'swagger-ui.css.map',
    'Swagger-ui.css',
    '..%2fpackage.json',
    '..%2f..%2f..%2f..%2f..%2f..%2fetc%2fpasswd',
    '..',
    '../package.json',
    '../../package.json',
    '%2e%2e/package.json',
    '%2fetc%2fpasswd',
    '..%5cpackage.json',
    'swagger-ui.css%00',
    'swagger-ui.css/',
    'constructor',
    '__proto__',
    'toString',
  ])('has no file %s', async (name) => {
    const server = await startServer()
    expect(await server.request(`/docs/${name}`)).toMatchObject({ status: 404, body: { error: 'not_found' } })
  })
})
