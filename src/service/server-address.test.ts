import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { type Exposure, findExposure, formatAddress, isLoopbackHost, ServerExposure } from './server-address.ts'

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

describe('the exposure of a server', () => {
  it.each<[string, object | undefined, boolean, boolean]>([
    ['nothing yet', undefined, false, false],
    ['127.0.0.1', { host: '127.0.0.1', port: 0 }, true, false],
    ['all addresses', { host: '0.0.0.0', port: 0 }, false, true],
    ['a Unix socket', { path: join(tmpdir(), `drover-exposure-${process.pid}`) }, false, false],
  ])('that listens on %s: loopback, reachable', async (_name, address, isLoopback, isReachable) => {
    const server = createServer()
    onTestFinished(() => void server.close())
    if (address !== undefined) await new Promise<void>((resolve) => void server.listen(address, resolve))
    const exposure = new ServerExposure()
    exposure.listensWith(server)
    expect([exposure.isLoopback, exposure.isReachable]).toEqual([isLoopback, isReachable])
  })
})
