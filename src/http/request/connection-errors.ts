/** Errors below HTTP requests: invalid HTTP, oversized headers, clients that send too slowly. */
import { type IncomingMessage, STATUS_CODES } from 'node:http'
import type { Socket } from 'node:net'
import { errorCode, Fault } from '../../kit/fault.ts'
import type { ServerContext } from '../context/server-context.ts'
import { toErrorBody } from '../errors/error-body.ts'
import { headersTooLarge, requestMalformed, requestTimeout } from '../errors/faults.ts'
import { toHttpError } from '../errors/http-error.ts'
import type { ConnectionSlots } from './connection-slots.ts'
import { peerAddress } from './identify.ts'

/** Node's own default. */
export const MAX_HEADER_BYTES = 16_384

/** The headers of every response. Cacheable documents replace `cache-control`. */
export function commonHeaders(requestId: string): Record<string, string> {
  return { 'x-request-id': requestId, 'x-content-type-options': 'nosniff', 'cache-control': 'no-store' }
}

export type Connections = {
  opened(socket: Socket): void
  /** The connection came over the local socket (listen.ts). */
  markLocal(socket: Socket): void
  isLocal(request: IncomingMessage): boolean
  /** Why the connection is over a limit; undefined if it is not. */
  refusal(request: IncomingMessage): Fault | undefined
  requestStarted(request: IncomingMessage): void
  /** The connection is in use until the response is closed. Without this call, it makes room for a new one at the limit. */
  keep(request: IncomingMessage): void
  /** The rest of the body must arrive in this time. */
  limitBodyTime(request: IncomingMessage, limitSecs: number): void
  responseClosed(request: IncomingMessage): void
  /** Calls `fail` if the connection fails before the request body is complete, also if that has happened already. */
  onFailure(request: IncomingMessage, fail: (fault: Fault) => void): void
  /**
   * Who sends the error response after a connection error. `request`: the request whose body is incomplete; then the
   * connection closes. `connection`: no request is active. `none`: a response has started and must not be mixed.
   */
  responderTo(socket: Socket, fault: Fault): 'request' | 'connection' | 'none'
  /** Closes connections without an active request. Requests whose body is incomplete fail with this fault. */
  closeIdle(fault: Fault): void
}

/** The latest request on a connection. `fault` is the connection error that occurred before its body was complete. */
type LatestRequest = { request: IncomingMessage; isClosed: boolean; fault?: Fault; fail?: (fault: Fault) => void }

/** `addressOf` returns undefined for a connection whose address has no limit. */
export function trackConnections(
  slots: ConnectionSlots,
  addressOf: (socket: Socket) => string | undefined,
): Connections {
  const sockets = new Set<Socket>()
  const local = new WeakSet<Socket>()
  const latest = new WeakMap<Socket, LatestRequest>()
  const entryOf = (request: IncomingMessage) => {
    const entry = latest.get(request.socket)
    return entry?.request === request ? entry : undefined
  }
  const failEntry = (entry: LatestRequest, fault: Fault) => {
    entry.fault ??= fault
    entry.fail?.(fault)
  }
  return {
    opened(socket) {
      sockets.add(socket)
      socket.once('close', () => sockets.delete(socket))
      if (!local.has(socket)) slots.open(socket, addressOf(socket))
    },
    markLocal: (socket) => void local.add(socket),
    isLocal: ({ socket }) => local.has(socket),
    refusal: ({ socket }) => slots.refusal(socket),
    requestStarted(request) {
      latest.set(request.socket, { request, isClosed: false })
    },
    keep: ({ socket }) => slots.setIdle(socket, false),
    limitBodyTime(request, limitSecs) {
      const entry = entryOf(request)
      if (entry === undefined || request.complete) return
      const timer = setTimeout(() => failEntry(entry, requestTimeout({ limitSecs })), limitSecs * 1000)
      // Also emitted when the body is complete.
      request.once('close', () => clearTimeout(timer))
    },
    responseClosed(request) {
      const entry = entryOf(request)
      if (entry === undefined) return
      entry.isClosed = true
      slots.setIdle(request.socket, true)
      if (entry.fault !== undefined) request.socket.destroySoon()
    },
    onFailure(request, fail) {
      const entry = entryOf(request)
      if (entry?.fault !== undefined) fail(entry.fault)
      else if (entry !== undefined) entry.fail = fail
    },
    responderTo(socket, fault) {
      const entry = latest.get(socket)
      if (entry === undefined || (entry.isClosed && entry.request.complete)) return 'connection'
      if (entry.isClosed || entry.request.complete) return 'none'
      failEntry(entry, fault)
      return 'request'
    },
    closeIdle(fault) {
      for (const socket of sockets) {
        const entry = latest.get(socket)
        if (entry === undefined || entry.isClosed) socket.destroySoon()
        else if (!entry.request.complete) failEntry(entry, fault)
      }
    },
  }
}

/** For Fastify's `clientErrorHandler`. Node reports these errors outside of any request. */
export function handleConnectionError(
  { error, socket, connections }: { error: Error; socket: Socket; connections: Connections },
  context: ServerContext,
): void {
  const fault = toFault(error, context)
  if (errorCode(error) === 'ECONNRESET' || !socket.writable) {
    socket.destroy()
    return
  }
  switch (connections.responderTo(socket, fault)) {
    case 'request':
      return
    case 'none':
      socket.destroy()
      return
    case 'connection':
      sendErrorOn(socket, fault, context)
  }
}

function toFault(error: Error, { config }: ServerContext): Fault {
  if (error instanceof Fault) return error
  switch (errorCode(error)) {
    case 'ERR_HTTP_REQUEST_TIMEOUT':
      return requestTimeout({ limitSecs: config.server.read_timeout_secs })
    case 'HPE_HEADER_OVERFLOW':
      return headersTooLarge({ limitBytes: MAX_HEADER_BYTES })
    default:
      return requestMalformed({ problem: 'it is not valid HTTP/1.1' }, error)
  }
}

function sendErrorOn(socket: Socket, fault: Fault, context: ServerContext): void {
  const httpError = toHttpError(fault)
  const { status, code } = httpError
  const requestId = context.ids.hex(16)
  // The path is unknown, and so is the API. Its error format is the native one.
  const { contentType, body } = toErrorBody(httpError, { style: 'native', errorsBase: '' })
  const text = JSON.stringify(body)
  const head = [
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}`,
    `content-type: ${contentType}`,
    `content-length: ${Buffer.byteLength(text)}`,
    ...Object.entries(commonHeaders(requestId)).map(([name, value]) => `${name}: ${value}`),
    'connection: close',
  ]
  const bytes = Buffer.from(`${head.join('\r\n')}\r\n\r\n${text}`)
  // Node removes its own error listener from the socket of a CONNECT request.
  socket.on('error', () => {})
  socket.end(bytes, () => socket.destroySoon())
  const common = { method: 'unknown', route: 'unknown', status, bytes: bytes.length }
  context.observer.requestStarted?.()
  context.observer.requestDone?.({ ...common, keyName: undefined, backend: undefined, seconds: 0, errorCode: code })
  const client = peerAddress(socket.remoteAddress)
  context.writeAccessLog({ request_id: requestId, ...common, duration_ms: 0, client, error: code })
}
