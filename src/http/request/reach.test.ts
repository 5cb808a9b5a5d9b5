import { describe, expect, it } from 'vitest'
import { bracketed, isLoopbackHost, type Reach, reachOf } from './reach.ts'

describe('reachOf', () => {
  it.each<[string, Reach]>([
    ['127.0.0.1', 'machine'],
    ['127.255.255.254', 'machine'],
    ['::1', 'machine'],
    ['0::1', 'machine'],
    ['::ffff:127.0.0.1', 'machine'],
    ['128.0.0.1', 'network'],
    ['192.168.1.5', 'network'],
    ['::2', 'network'],
    ['::ffff:192.168.1.5', 'network'],
    ['0.0.0.0', 'public'],
    ['::', 'public'],
    ['::ffff:0.0.0.0', 'public'],
  ])('of %s is %s', (address, reach) => {
    expect(reachOf(address)).toBe(reach)
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

describe('bracketed', () => {
  it.each([
    ['::1', '[::1]'],
    ['127.0.0.1', '127.0.0.1'],
    ['localhost', 'localhost'],
  ])('makes %s to %s', (host, written) => {
    expect(bracketed(host)).toBe(written)
  })
})
