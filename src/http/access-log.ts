/** One line for every request, refused or answered, and one call to those who count. */
import type { FastifyReply, FastifyRequest } from 'fastify'
import { BACKENDS } from '../agents/agent.ts'
import type { ServerContext } from './context.ts'
import { factsOf } from './request-facts.ts'

/** Fields as they stand in the log. Neither keys nor bodies are among them, prompts and answers only if asked for. */
export type AccessEntry = {
  request_id: string
  method: string
  route: string
  status: number
  bytes: number
  duration_ms: number
  client: string
  key?: string
  backend?: string
  error?: string
  trace_id?: string
  prompt?: string
  answer?: string
}

/** What servers write for a client that left before it was answered; no client ever sees it. */
const CLIENT_GONE = 499

/** The response closes exactly once, whether it was finished, broken off or never begun. */
export function watchRequest(
  { request, reply }: { request: FastifyRequest; reply: FastifyReply },
  context: ServerContext,
) {
  const startedAt = performance.now()
  const { socket } = request.raw
  const bytesBefore = socket.bytesWritten
  context.observer.requestStarted?.()
  reply.raw.once('close', () => {
    const seconds = (performance.now() - startedAt) / 1000
    finish({ request, reply, seconds, bytes: socket.bytesWritten - bytesBefore }, context)
  })
}

type Finished = { request: FastifyRequest; reply: FastifyReply; seconds: number; bytes: number }

function finish({ request, reply, seconds, bytes }: Finished, context: ServerContext): void {
  const { address, key, refusal, trace, prompt, answer, ...facts } = factsOf(request)
  // What a request asks for may be anything; only real agents are counted.
  const backend = BACKENDS.find((name) => name === facts.backend)
  const { url } = request.routeOptions
  // A star is the route of everything that asks for OPTIONS.
  const route = request.is404 || url === undefined || url === '*' ? 'unknown' : url
  const status = reply.raw.headersSent ? reply.raw.statusCode : CLIENT_GONE
  const { method } = request
  context.observer.requestDone?.({ route, method, status, seconds, bytes, keyName: key?.name, backend, refusal })
  context.writeAccess({
    request_id: request.id,
    method,
    route,
    status,
    bytes,
    duration_ms: Math.round(seconds * 1000),
    client: address,
    ...(key !== undefined && { key: key.name }),
    ...(backend !== undefined && { backend }),
    ...(refusal !== undefined && { error: refusal }),
    ...(trace !== undefined && { trace_id: trace.traceId }),
    ...(context.logsPrompts && prompt !== undefined && { prompt }),
    ...(context.logsPrompts && answer !== undefined && { answer }),
  })
}
