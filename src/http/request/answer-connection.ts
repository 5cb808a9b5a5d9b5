/** Answers on a connection where there is no request to answer: what came was not HTTP, too large, too slow or no request. */
import { STATUS_CODES } from 'node:http'
import type { Socket } from 'node:net'
import { errorCode, Fault } from '../../kit/fault.ts'
import type { ServerContext } from '../context/server-context.ts'
import { toErrorBody } from '../errors/error-body.ts'
import { headersTooLarge, requestMalformed, requestTimeout } from '../errors/faults.ts'
import { toRefusal } from '../errors/http-error.ts'
import { peerAddress } from './client-address.ts'
import { commonHeaders } from './common-headers.ts'
import type { Connections } from './connections.ts'

/** As Node has it; a request with more is no request of an API client. */
export const MAX_HEADER_BYTES = 16_384

export function answerConnection(
  { error, socket, connections }: { error: Error; socket: Socket; connections: Connections },
  context: ServerContext,
): void {
  const fault = faultOf(error, context)
  if (errorCode(error) === 'ECONNRESET' || !socket.writable) {
    socket.destroy()
    return
  }
  switch (connections.whoAnswers(socket, fault)) {
    case 'request':
      return
    case 'nobody':
      socket.destroy()
      return
    case 'connection':
      answer(socket, fault, context)
  }
}

function faultOf(error: Error, { config }: ServerContext): Fault {
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

function answer(socket: Socket, fault: Fault, context: ServerContext): void {
  const { status, code, ...refusal } = toRefusal(fault)
  const requestId = context.ids.hex(16)
  // No path was read, so no style is known; the native one is the plainest.
  const { contentType, body } = toErrorBody({ status, code, ...refusal }, { url: '/', errorsBase: '' })
  const text = JSON.stringify(body)
  const head = [
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}`,
    `content-type: ${contentType}`,
    `content-length: ${Buffer.byteLength(text)}`,
    ...Object.entries(commonHeaders(requestId)).map(([name, value]) => `${name}: ${value}`),
    'connection: close',
  ]
  const bytes = Buffer.from(`${head.join('\r\n')}\r\n\r\n${text}`)
  // Node no longer listens on a connection that was to become a tunnel.
  socket.on('error', () => {})
  socket.end(bytes, () => socket.destroySoon())
  const seen = { method: 'unknown', route: 'unknown', status, bytes: bytes.length }
  const nobody = { keyName: undefined, backend: undefined }
  context.observer.requestStarted?.()
  context.observer.requestDone?.({ ...seen, ...nobody, seconds: 0, refusal: code })
  context.writeAccess({
    request_id: requestId,
    ...seen,
    duration_ms: 0,
    client: peerAddress(socket.remoteAddress),
    error: code,
  })
}
