/**
 * The way out of a sandbox: an HTTP proxy on a Unix socket in drover's process. It resolves names itself, and connects only to
 * hosts that the policy lists. Every request is reported.
 */
import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http'
import { type AddressInfo, connect, type Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import { errorCode, toErrorMessage } from '../kit/fault.ts'
import type { Environment } from '../kit/process/child-environment.ts'
import { type HostRule, type HostTarget, parseTarget, refusalOf } from './host-rules.ts'
import { PRIVATE_ADDRESS, permittedLookup } from './permitted-lookup.ts'

export type ProxyEvent =
  | { is: 'reached'; host: string; port: number }
  | { is: 'refused'; host: string; port: number; reason: HostRefusal }
  | { is: 'failed'; host: string; port: number; problem: string }

export type HostRefusal = 'not listed' | 'port not listed' | 'private address'

export type StopSignal = 'SIGINT' | 'SIGTERM'

export type SandboxProxy = {
  /** 0 if it listens on a socket. */
  port: number
  /** The forwarder inside has reached the proxy: the command runs. */
  hasStarted(): boolean
  /** Lets the forwarder signal the command. A signal to bubblewrap would kill everything inside at once. */
  signal(name: StopSignal): void
  close(): Promise<void>
}

const CONNECT_TIMEOUT_MS = 30_000
const GAVE_UP = 'the command did not wait for it'
const MAX_CONNECTIONS = 512
/** Of a hostile command, in bytes. */
const MAX_HEADERS = 16 * 1024

/** Without the path of a socket, it listens on a free port of this machine. */
type Options = {
  socketPath?: string
  rules: readonly HostRule[]
  /** May name a proxy through which this machine reaches others. */
  env: Environment
  onEvent: (event: ProxyEvent) => void
}

type Upstream = typeof import('./upstream-proxy.ts')
type Ways = Options & { upstream: Upstream | undefined }

export async function openProxy(given: Options): Promise<SandboxProxy> {
  const isProxied = Object.keys(given.env).some((name) => /^(?:https?|all)_proxy$/i.test(name))
  const options = { ...given, upstream: isProxied ? await import('./upstream-proxy.ts') : undefined }
  const open = new Set<Duplex>()
  let control: ServerResponse | undefined
  const keep = (socket: Duplex) => {
    open.add(socket)
    socket.on('error', () => socket.destroy()).once('close', () => open.delete(socket))
  }
  const server = createServer({ maxHeaderSize: MAX_HEADERS }, (message, response) => {
    // The first one is the forwarder: the command does not run yet.
    if (message.url !== '/started' || control !== undefined) return pass(message, response, options)
    control = response
    response.flushHeaders()
  })
  server.maxConnections = MAX_CONNECTIONS
  server.on('connection', keep)
  server.on('clientError', (_error, socket) => socket.destroy())
  server.on('connect', (message, inner, head) => {
    const outer = tunnel(message, { inner, head }, options)
    if (outer !== undefined) keep(outer)
  })
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    if (options.socketPath === undefined) server.listen(0, '127.0.0.1', resolve)
    else server.listen(options.socketPath, resolve)
  })
  return {
    port: (server.address() as Partial<AddressInfo>).port ?? 0,
    hasStarted: () => control !== undefined,
    signal: (name) => void control?.write(`${name}\n`),
    close: () => {
      const closed = new Promise<void>((resolve) => server.close(() => resolve()))
      for (const socket of open) socket.destroy()
      return closed
    },
  }
}

/** `CONNECT host:port`, for HTTPS and everything else. */
function tunnel(
  message: IncomingMessage,
  { inner, head }: { inner: Duplex; head: Buffer },
  options: Ways,
): Socket | undefined {
  const target = parseTarget(message.url ?? '')
  if (target === undefined) return void inner.end('HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\n\r\n')
  const refusal = refusalOf(target, options.rules)
  if (refusal !== undefined) return void inner.end(refuse(target, refusal, options))
  const through = options.upstream?.chooseUpstream(options.env, target, 'https:')
  const outer =
    (through && options.upstream?.connectThrough(through, target)) ??
    connect({ ...target, lookup: permittedLookup(options.rules), allowHalfOpen: true })
  outer.setTimeout(CONNECT_TIMEOUT_MS, () => outer.destroy(new Error('it did not answer in time')))
  let isReached = false
  outer.once(through === undefined ? 'connect' : 'established', () => {
    isReached = true
    outer.setTimeout(0)
    options.onEvent({ is: 'reached', ...target })
    inner.write('HTTP/1.1 200 Connection established\r\n\r\n')
    if (head.length > 0) outer.write(head)
    inner.pipe(outer).pipe(inner)
  })
  outer.on('error', (error) => {
    if (isReached) inner.destroy()
    else inner.end(describeFailure(target, error, options))
  })
  inner.once('close', () => outer.destroy(isReached ? undefined : new Error(GAVE_UP)))
  outer.once('close', () => isReached && inner.destroy())
  return outer
}

/** `GET http://host/…`, for plain HTTP. */
function pass(message: IncomingMessage, response: ServerResponse, options: Ways): void {
  const url = URL.canParse(message.url ?? '') ? new URL(message.url ?? '') : undefined
  const target = url?.protocol === 'http:' ? parseTarget(`${url.hostname}:${url.port || 80}`) : undefined
  if (url === undefined || target === undefined) return void response.writeHead(400).end()
  const refusal = refusalOf(target, options.rules)
  const finish = (head: string) => {
    message.unpipe()
    response.socket?.end(head)
  }
  if (refusal !== undefined) return void finish(refuse(target, refusal, options))
  const { method, headers } = message
  const { authorization, ...way } = wayTo(url, target, options)
  const outer = request({
    ...way,
    ...{ method, agent: false, timeout: CONNECT_TIMEOUT_MS },
    headers: { ...withoutHopHeaders(headers, url.host), ...authorization },
  })
  outer.once('socket', (socket) =>
    socket.once('connect', () => {
      socket.setTimeout(0)
      options.onEvent({ is: 'reached', ...target })
    }),
  )
  outer.once('timeout', () => outer.destroy(new Error('it did not answer in time')))
  outer.once('response', (answer) => {
    response.writeHead(answer.statusCode ?? 502, withoutHopHeaders(answer.headers))
    answer.on('error', () => response.destroy())
    answer.pipe(response)
  })
  outer.once('error', (error) => {
    if (response.headersSent) response.destroy()
    else finish(describeFailure(target, error, options))
  })
  response.once('close', () => outer.destroy(response.headersSent ? undefined : new Error(GAVE_UP)))
  message.pipe(outer)
}

function wayTo(url: URL, target: HostTarget, { upstream, env, rules }: Ways) {
  const through = upstream?.chooseUpstream(env, target, 'http:')
  if (upstream === undefined || through?.protocol !== 'http:')
    return { ...target, path: `${url.pathname}${url.search}`, lookup: permittedLookup(rules), authorization: {} }
  return { ...upstream.addressOf(through), path: url.href, authorization: upstream.authorizationOf(through) }
}

function describeFailure(target: HostTarget, error: Error, options: Options): string {
  if (errorCode(error) === PRIVATE_ADDRESS) return refuse(target, 'private address', options)
  const problem = errorCode(error) ?? toErrorMessage(error)
  options.onEvent({ is: 'failed', ...target, problem })
  return answer('502 Bad Gateway', `drover: ${target.host}:${target.port} was not reached: ${problem}\n`)
}

function refuse(target: HostTarget, reason: HostRefusal, { onEvent }: Options): string {
  onEvent({ is: 'refused', ...target, reason })
  return answer(
    '403 Forbidden',
    `drover: the sandbox refuses ${target.host}:${target.port}: ${reason}; see sandbox.hosts\n`,
  )
}

function answer(status: string, text: string): string {
  const headers = `Content-Type: text/plain\r\nContent-Length: ${Buffer.byteLength(text)}\r\nConnection: close\r\n`
  return `HTTP/1.1 ${status}\r\n${headers}\r\n${text}`
}

/** They are about one connection, and a proxy has two. */
const HOP_HEADERS = [
  'connection',
  'keep-alive',
  'proxy-authorization',
  'proxy-connection',
  'te',
  'trailer',
  'upgrade',
  'transfer-encoding',
]

function withoutHopHeaders(headers: IncomingMessage['headers'], host?: string) {
  const kept = Object.entries(headers).filter(([name]) => !HOP_HEADERS.includes(name))
  return { ...Object.fromEntries(kept), ...(host !== undefined && { host }) }
}
