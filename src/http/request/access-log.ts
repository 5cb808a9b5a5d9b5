/** Writes one line to the access log for a request, and reports it to the observer, which counts metrics. */
import type { ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { ServerContext } from '../context/server-context.ts'

/** The status that web servers log when a client disconnects before the response. It is never sent. */
export const CLIENT_CLOSED_REQUEST = 499

/** Starts to measure a request. Call the returned function when its response has closed. */
export function measureRequest(
  { request, reply }: { request: FastifyRequest; reply: FastifyReply },
  context: ServerContext,
): () => void {
  const startedAt = performance.now()
  const bytes = countBytes(reply.raw)
  context.observer.requestStarted?.()
  return () => {
    const seconds = (performance.now() - startedAt) / 1000
    report({ request, reply, seconds, bytes: bytes() }, context)
  }
}

type MeasuredRequest = { request: FastifyRequest; reply: FastifyReply; seconds: number; bytes: number }

function report({ request, reply, seconds, bytes }: MeasuredRequest, context: ServerContext): void {
  const { address, key, unknownPath, errorCode, trace, backends = [], prompts = [], answers = [] } = request.facts
  // A request may name any backend. Only real ones are reported, so that the number of labels stays small.
  const backend =
    Object.keys(context.config.backends)
      .filter((name) => backends.includes(name))
      .join() || undefined
  const route = request.routeOptions.url ?? 'unknown'
  const status = reply.raw.headersSent ? reply.raw.statusCode : CLIENT_CLOSED_REQUEST
  const { method } = request
  context.observer.requestDone?.({ route, method, status, seconds, bytes, keyName: key?.name, backend, errorCode })
  if (request.facts.isForConsoleFile === true && status < 400) return
  context.writeAccessLog({
    request_id: request.id,
    method,
    route,
    ...(unknownPath !== undefined && { path: unknownPath.slice(0, MAX_LOGGED_PATH) }),
    status,
    bytes,
    duration_ms: Math.round(seconds * 1000),
    client: address,
    ...(key !== undefined && { key: key.name }),
    ...(backend !== undefined && { backend }),
    ...(errorCode !== undefined && { error: errorCode }),
    ...(trace !== undefined && { trace_id: trace.traceId }),
    ...(context.logsPrompts && prompts.length > 0 && { prompt: toExcerpt(prompts) }),
    ...(context.logsPrompts && answers.length > 0 && { answer: toExcerpt(answers) }),
  })
}

/** Longer than any path of the server. */
const MAX_LOGGED_PATH = 256

/** Prompts may have megabytes. The log gets only the beginning. */
const MAX_LOGGED_CHARACTERS = 16_384

function toExcerpt(texts: readonly string[]): string {
  const text = texts.join('\n\n')
  if (text.length <= MAX_LOGGED_CHARACTERS) return text
  // The cut may leave half a surrogate pair at the end.
  return `${text.slice(0, MAX_LOGGED_CHARACTERS).toWellFormed()}… (${text.length} characters in all)`
}

/** Counts the bytes of a response, including headers. Pipelined responses share a socket, so each counts from its start. */
function countBytes(response: ServerResponse): () => number {
  let start: { socket: Socket; before: number } | undefined
  let total: number | undefined
  const begin = (socket: Socket) => {
    start = { socket, before: socket.bytesWritten }
  }
  const current = () => (start === undefined ? 0 : start.socket.bytesWritten - start.before)
  if (response.socket === null) response.once('socket', begin)
  else begin(response.socket)
  // Before Node passes the socket to the next response.
  response.prependOnceListener('finish', () => {
    total = current()
  })
  return () => total ?? current()
}
