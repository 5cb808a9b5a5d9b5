/** One line for every request, refused or answered, and one call to those who count. */
import type { FastifyReply, FastifyRequest } from 'fastify'
import { BACKENDS } from '../../agents/adapter/agent.ts'
import type { ServerContext } from '../context/server-context.ts'
import { countBytes } from '../response/response-bytes.ts'
import { factsOf } from './request-facts.ts'

/** What servers write for a client that left before it was answered; no client ever sees it. */
const CLIENT_GONE = 499

/** Begins to watch a request. The function returned is to be called when its response has closed. */
export function watchRequest(
  { request, reply }: { request: FastifyRequest; reply: FastifyReply },
  context: ServerContext,
): () => void {
  const startedAt = performance.now()
  const bytes = countBytes(reply.raw)
  context.observer.requestStarted?.()
  return () => {
    const seconds = (performance.now() - startedAt) / 1000
    finish({ request, reply, seconds, bytes: bytes() }, context)
  }
}

type Finished = { request: FastifyRequest; reply: FastifyReply; seconds: number; bytes: number }

function finish({ request, reply, seconds, bytes }: Finished, context: ServerContext): void {
  const { address, key, refusal, trace, backends = [], prompts = [], answers = [] } = factsOf(request)
  // What a request asks for may be anything; only real agents are named, each once, so that there are few names.
  const backend = BACKENDS.filter((name) => backends.includes(name)).join() || undefined
  const { url } = request.routeOptions
  const route = request.is404 || url === undefined ? 'unknown' : url
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
    ...(context.logsPrompts && prompts.length > 0 && { prompt: excerptOf(prompts) }),
    ...(context.logsPrompts && answers.length > 0 && { answer: excerptOf(answers) }),
  })
}

/** Texts may have megabytes, and nobody reads more of them in a log than this. */
const LOGGED_CHARACTERS = 16_384

function excerptOf(texts: readonly string[]): string {
  const text = texts.join('\n\n')
  if (text.length <= LOGGED_CHARACTERS) return text
  // Half a surrogate pair may be left at the end.
  return `${text.slice(0, LOGGED_CHARACTERS).toWellFormed()}… (${text.length} characters in all)`
}
