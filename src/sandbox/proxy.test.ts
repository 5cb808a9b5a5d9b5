import { once } from 'node:events'
import { createServer, request } from 'node:http'
import { type AddressInfo, connect, createServer as createTcpServer } from 'node:net'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { temporaryDirectory } from '../../test/support/run-drover.ts'
import { type HostRule, parseHostRule } from './host-rules.ts'
import { openProxy, type ProxyEvent } from './proxy.ts'

function startProxy(...hosts: string[]) {
  return startProxyFor(hosts.flatMap((text) => parseHostRule(text) ?? []))
}

async function startProxyFor(rules: readonly HostRule[], env: Record<string, string> = {}) {
  const socketPath = join(temporaryDirectory(), 'proxy.sock')
  const events: ProxyEvent[] = []
  const proxy = await openProxy({ socketPath, rules, env, onEvent: (event) => events.push(event) })
  onTestFinished(() => proxy.close())
  return { socketPath, events, proxy }
}

async function startWebServer(): Promise<number> {
  const server = createServer((message, response) => {
    message
      .on('data', () => {})
      .on('end', () => response.end(`${message.method} ${message.url} ${JSON.stringify(message.headers)}`))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => void server.close())
  return (server.address() as AddressInfo).port
}

/** Sends bytes and returns everything that comes back. */
function exchange(socketPath: string, ...texts: string[]): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connect({ path: socketPath, allowHalfOpen: true })
    let text = ''
    for (const each of texts) socket.write(each)
    socket
      .on('data', (bytes) => (text += bytes))
      .on('end', () => socket.end())
      .on('close', () => resolve(text))
      .on('error', reject)
  })
}

const ask = (target: string) => `CONNECT ${target} HTTP/1.1\r\nHost: ${target}\r\n\r\n`

describe('the proxy', () => {
  it('connects to a host that is listed, in both directions', async () => {
    const port = await startWebServer()
    const { socketPath, events } = await startProxy(`127.0.0.1:${port}`)
    const get = 'GET /x HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n'
    const answer = await exchange(socketPath, ask(`127.0.0.1:${port}`), get)
    expect(answer).toMatch(/^HTTP\/1\.1 200 Connection established\r\n\r\nHTTP\/1\.1 200 OK[\s\S]*GET \/x/)
    expect(events).toEqual([{ is: 'reached', host: '127.0.0.1', port }])
  })

  it.each([
    ['a host that is not listed', 'example.com:443', 'not listed'],
    ['another port', 'listed.test:22', 'port not listed'],
    ['an address that is not listed', '93.184.215.14:443', 'not listed'],
    ['an address of IPv6', '[2606:4700::1111]:443', 'not listed'],
    ['loopback', '127.0.0.1:80', 'not listed'],
  ])('refuses %s, and reports it', async (_what, target, reason) => {
    const { socketPath, events } = await startProxy('listed.test')
    const answer = await exchange(socketPath, ask(target))
    expect(answer).toMatch(/^HTTP\/1\.1 403 Forbidden\r\n/)
    expect(answer).toContain(`the sandbox refuses ${target.replace(/[[\]]/g, '')}: ${reason}; see sandbox.hosts`)
    expect(events).toEqual([expect.objectContaining({ is: 'refused', reason })])
  })

  it('refuses a listed name that resolves to a private address', async () => {
    const { socketPath, events } = await startProxyFor([
      // `localhost` in a setting would list its address too.
      { is: 'name', name: 'localhost', withSubdomains: false, ports: [443, 80] },
    ])
    expect(await exchange(socketPath, ask('localhost:443'))).toContain('localhost:443: private address')
    const plain = 'GET http://localhost/ HTTP/1.1\r\nHost: localhost\r\n\r\n'
    expect(await exchange(socketPath, plain)).toContain('localhost:80: private address')
    expect(events.map(({ is }) => is)).toEqual(['refused', 'refused'])
  })

  it.each(['nowhere', 'example.com:0', '[::1]', '/started:443'])('answers 400 to CONNECT %s', async (target) => {
    const { socketPath, proxy } = await startProxy()
    expect(await exchange(socketPath, ask(target))).toMatch(/^HTTP\/1\.1 400 /)
    expect(proxy.hasStarted()).toBe(false)
  })

  it('learns that the command has started', async () => {
    const { socketPath, proxy } = await startProxy()
    const answer = await readStarted(socketPath, () => {})
    expect(answer).toMatch(/^HTTP\/1\.1 200 /)
    expect(proxy.hasStarted()).toBe(true)
  })

  it('tells the forwarder to stop the command, and no one else', async () => {
    const { socketPath, proxy } = await startProxy()
    const answer = await readStarted(socketPath, async (more) => {
      const second = await exchange(socketPath, 'GET /started HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n')
      expect(second).toMatch(/^HTTP\/1\.1 400 /)
      const told = more()
      proxy.signal('SIGTERM')
      await told
    })
    expect(answer).toContain('SIGTERM\n')
  })

  it('passes plain HTTP on, without headers that are for the proxy', async () => {
    const port = await startWebServer()
    const { socketPath, events } = await startProxy(`127.0.0.1:${port}`)
    const answer = await new Promise<string>((resolve, reject) => {
      const headers = { Host: 'other.example', 'Proxy-Authorization': 'secret', Accept: 'x' }
      const sent = request(
        { socketPath, method: 'POST', path: `http://127.0.0.1:${port}/a?b=1`, headers },
        (response) => {
          let text = ''
          response
            .setEncoding('utf8')
            .on('data', (chunk) => (text += chunk))
            .on('end', () => resolve(text))
        },
      )
      sent.on('error', reject).end('body')
    })
    expect(answer).toContain('POST /a?b=1')
    expect(answer).toContain(`"host":"127.0.0.1:${port}"`)
    expect(answer).not.toContain('secret')
    expect(events).toEqual([{ is: 'reached', host: '127.0.0.1', port }])
  })

  it('refuses plain HTTP to a host that is not listed, whatever the Host header says', async () => {
    const { socketPath, events } = await startProxy('listed.test')
    const answer = await exchange(socketPath, 'GET http://example.com/ HTTP/1.1\r\nHost: listed.test\r\n\r\n')
    expect(answer).toMatch(/^HTTP\/1\.1 403 Forbidden\r\n/)
    expect(events).toEqual([{ is: 'refused', host: 'example.com', port: 80, reason: 'not listed' }])
  })

  it('says why a listed host was not reached', async () => {
    const gone = createTcpServer()
    await new Promise<void>((resolve) => gone.listen(0, '127.0.0.1', resolve))
    const { port } = gone.address() as AddressInfo
    await new Promise((resolve) => gone.close(resolve))
    const { socketPath, events } = await startProxy(`127.0.0.1:${port}`)
    expect(await exchange(socketPath, ask(`127.0.0.1:${port}`))).toContain('was not reached: ECONNREFUSED')
    expect(events).toEqual([{ is: 'failed', host: '127.0.0.1', port, problem: 'ECONNREFUSED' }])
  })

  it('closes open tunnels when it is closed', async () => {
    const silent = createTcpServer()
    await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve))
    onTestFinished(() => void silent.close())
    const { port } = silent.address() as AddressInfo
    const { socketPath, proxy } = await startProxy(`127.0.0.1:${port}`)
    const socket = connect(socketPath)
    socket.write(ask(`127.0.0.1:${port}`))
    await new Promise((resolve) => socket.once('data', resolve))
    const closed = new Promise((resolve) => socket.once('close', resolve))
    await proxy.close()
    await closed
  })
})

/** What the forwarder reads: the head of the answer, and then what comes after `act`. */
async function readStarted(socketPath: string, act: (more: () => Promise<void>) => unknown): Promise<string> {
  const socket = connect(socketPath)
  onTestFinished(() => void socket.destroy())
  socket.write('GET /started HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n')
  let text = ''
  socket.on('data', (chunk) => (text += chunk))
  await once(socket, 'data')
  await act(async () => void (await once(socket, 'data')))
  return text
}

describe('behind another proxy', () => {
  /** A proxy of a company, which connects everything to one port. Notes what it was asked. */
  async function startUpstream(port: number, status = '200 OK') {
    const asked: string[] = []
    const server = createServer((message, response) => {
      asked.push(`${message.method} ${message.url} ${message.headers['proxy-authorization']}`)
      response.end('passed on')
    })
    server.on('connect', (message, inner, head) => {
      asked.push(`CONNECT ${message.url} ${message.headers['proxy-authorization']}`)
      const outer = connect(port, '127.0.0.1', () => {
        inner.write(`HTTP/1.1 ${status}\r\n\r\n`)
        outer.write(head)
        inner.pipe(outer).pipe(inner)
      })
      inner.on('error', () => outer.destroy())
    })
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    onTestFinished(() => void server.close())
    return { asked, url: `http://ada:s%40cret@127.0.0.1:${(server.address() as AddressInfo).port}` }
  }
  const BASIC = `Basic ${Buffer.from('ada:s@cret').toString('base64')}`
  const rules = parseHostRule('listed.example') ?? []

  it('reaches hosts that are listed through it, and asks it for no others', async () => {
    const { asked, url } = await startUpstream(await startWebServer())
    const { socketPath, events } = await startProxyFor(rules, { HTTPS_PROXY: url, HTTP_PROXY: url })
    const get = 'GET /x HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n'
    expect(await exchange(socketPath, ask('listed.example:443'), get)).toMatch(/^HTTP\/1\.1 200 [\s\S]*GET \/x/)
    const plain = 'GET http://listed.example/y HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n'
    expect(await exchange(socketPath, plain)).toContain('passed on')
    expect(await exchange(socketPath, ask('other.example:443'))).toMatch(/^HTTP\/1\.1 403 /)
    expect(asked).toEqual([`CONNECT listed.example:443 ${BASIC}`, `GET http://listed.example/y ${BASIC}`])
    expect(events.map(({ is, host }) => `${is} ${host}`)).toEqual([
      ...['reached listed.example', 'reached listed.example', 'refused other.example'],
    ])
  })

  it('says what it answers if it refuses', async () => {
    const { url } = await startUpstream(await startWebServer(), '407 Proxy Authentication Required')
    const { socketPath, events } = await startProxyFor(rules, { https_proxy: url })
    expect(await exchange(socketPath, ask('listed.example:443'))).toContain('answers 407')
    expect(events).toEqual([expect.objectContaining({ is: 'failed', problem: expect.stringContaining('407') })])
  })
})
