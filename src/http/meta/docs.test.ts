import Fastify from 'fastify'
import { describe, expect, it } from 'vitest'
import { trustedProxies } from '../request/identify.ts'
import { serverAddress } from './docs.ts'

/** The address that an endpoint sees, through Fastify's own reading of `X-Forwarded-*`. */
async function addressFor(headers: Record<string, string>, peer = '127.0.0.1'): Promise<string> {
  const app = Fastify({ trustProxy: trustedProxies(['10.0.0.1']) })
  app.get('/', async (request) => serverAddress(request))
  return (await app.inject({ url: '/', remoteAddress: peer, headers })).body
}

describe('serverAddress', () => {
  it.each([
    ['localhost', 'http://localhost'],
    ['drover.example.com:8080', 'http://drover.example.com:8080'],
    ['127.0.0.1:80', 'http://127.0.0.1:80'],
    ['[::1]:8080', 'http://[::1]:8080'],
    ['a b', '/'],
    ['host/path', '/'],
    ['user@host', '/'],
    ['host:123456', '/'],
    ['"><script>', '/'],
  ])('is, for the host %j, %s', async (host, url) => {
    expect(await addressFor({ host })).toBe(url)
  })

  it('is relative without a Host header', () => {
    expect(serverAddress({ host: '', protocol: 'http' })).toBe('/')
  })

  const host = 'inside:8080'

  it.each([
    [{ 'x-forwarded-proto': 'https' }, 'https://inside:8080'],
    [{ 'x-forwarded-proto': 'http, HTTPS' }, 'https://inside:8080'],
    [{ 'x-forwarded-proto': 'https, http' }, 'http://inside:8080'],
    [{ 'x-forwarded-proto': 'http' }, 'http://inside:8080'],
    [{ 'x-forwarded-proto': 'javascript' }, 'http://inside:8080'],
    [{ 'x-forwarded-host': 'outside' }, 'http://outside'],
    [{ 'x-forwarded-host': 'other.example, outside' }, 'http://outside'],
    [{ 'x-forwarded-host': '' }, 'http://inside:8080'],
    [{ 'x-forwarded-host': 'not a host' }, '/'],
  ])('is, for %j from a trusted proxy, %s', async (headers, url) => {
    expect(await addressFor({ host, ...headers }, '10.0.0.1')).toBe(url)
  })

  it.each(['127.0.0.1', '10.0.0.2'])('ignores the forwarded headers of %s', async (peer) => {
    const headers = { host, 'x-forwarded-proto': 'https', 'x-forwarded-host': 'evil.example' }
    expect(await addressFor(headers, peer)).toBe('http://inside:8080')
  })
})
