import { describe, expect, it } from 'vitest'
import { type Exposure, findExposure, formatAddress, isLoopbackHost } from './server-address.ts'

describe('findExposure', () => {
  it.each<[string, Exposure]>([
    ['127.0.0.1', 'loopback'],
    ['127.255.255.254', 'loopback'],
    ['::1', 'loopback'],
    ['0::1', 'loopback'],
    ['::ffff:127.0.0.1', 'loopback'],
    ['128.0.0.1', 'network'],
    ['192.168.1.5', 'network'],
    ['::2', 'network'],
    ['::ffff:192.168.1.5', 'network'],
    ['0.0.0.0', 'public'],
    ['::', 'public'],
    ['::ffff:0.0.0.0', 'public'],
  ])('of %s is %s', (address, exposure) => {
    expect(findExposure(address)).toBe(exposure)
  })
})

describe('isLoopbackHost', () => {
  it.each<[string, boolean]>([
    ['localhost', true],
    ['LOCALHOST:8080', true],
    ['app.localhost:80', true],
    ['localhost.', true],
    ['127.0.0.1:1', true],
    ['[::1]:8080', true],
    ['[::ffff:127.0.0.1]:8080', true],
    ['[0:0:0:0:0:0:0:1]', true],
    ['evil.example', false],
    ['localhost.evil.example', false],
    ['evillocalhost', false],
    ['127.0.0.1.evil.example', false],
    ['192.168.1.5:8080', false],
    ['[::2]', false],
    ['', false],
  ])('of %j is %s', (host, isLoopback) => {
    expect(isLoopbackHost(host)).toBe(isLoopback)
  })
})

describe('formatAddress', () => {
  it.each([
    ['::1', '[::1]:80'],
    ['127.0.0.1', '127.0.0.1:80'],
    ['localhost', 'localhost:80'],
  ])('turns %s with a port into %s', (host, written) => {
    expect(formatAddress({ host, port: 80 })).toBe(written)
  })
})
