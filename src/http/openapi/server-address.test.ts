import type { FastifyRequest } from 'fastify'
import { describe, expect, it } from 'vitest'
import { createTrustedProxies } from '../request/client-address.ts'
import { serverAddress } from './server-address.ts'

const address = (headers: Record<string, string>, peer?: string) => {
  const request = { headers, raw: { socket: { remoteAddress: peer } } } as unknown as FastifyRequest
  return serverAddress(request, createTrustedProxies(['10.0.0.1']))
}

describe('serverAddress', () => {
  it.each([
    ['localhost', 'http://localhost'],
    ['drover.example.com:8080', 'http://drover.example.com:8080'],
    ['127.0.0.1:80', 'http://127.0.0.1:80'],
    ['[::1]:8080', 'http://[::1]:8080'],
    ['', '/'],
    ['a b', '/'],
    ['host/path', '/'],
    ['user@host', '/'],
    ['host:123456', '/'],
    ['"><script>', '/'],
  ])('makes of the host %j the address %s', (host, url) => {
    expect(address({ host })).toBe(url)
  })

  it('is relative where the client named no host', () => {
    expect(address({})).toBe('/')
  })

  const host = 'inside:8080'

  it.each([
    [{ 'x-forwarded-proto': 'https' }, 'https://inside:8080'],
    [{ 'x-forwarded-proto': 'http, HTTPS' }, 'https://inside:8080'],
    [{ 'x-forwarded-proto': 'https, http' }, 'http://inside:8080'],
    [{ 'x-forwarded-proto': 'http' }, 'http://inside:8080'],
    [{ 'x-forwarded-proto': 'javascript' }, 'http://inside:8080'],
    [{ 'x-forwarded-host': 'outside' }, 'http://outside'],
    [{ 'x-forwarded-host': 'anybody.example, outside' }, 'http://outside'],
    [{ 'x-forwarded-host': '' }, 'http://inside:8080'],
    [{ 'x-forwarded-host': 'not a host' }, '/'],
  ])('takes %j from a trusted proxy as %s', (headers, url) => {
    expect(address({ host, ...headers }, '10.0.0.1')).toBe(url)
  })

  it.each([[undefined], ['10.0.0.2']])('takes nothing from the peer %s', (peer) => {
    const headers = { host, 'x-forwarded-proto': 'https', 'x-forwarded-host': 'evil.example' }
    expect(address(headers, peer)).toBe('http://inside:8080')
  })
})
