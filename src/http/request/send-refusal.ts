import type { FastifyReply, FastifyRequest } from 'fastify'
import { errorCode, Fault } from '../../kit/fault.ts'
import type { ServerContext } from '../context/server-context.ts'
import { toErrorBody } from '../errors/error-body.ts'
import { mediaTypeUnsupported, serverTrouble, shuttingDown } from '../errors/faults.ts'
import { type Refusal, toRefusal } from '../errors/http-error.ts'
import { factsOf } from './request-facts.ts'

type Call = { error: unknown; request: FastifyRequest; reply: FastifyReply }
type Failed = Call & { refusal: Refusal }

/** Answers with an error in the style of the path, and logs what the client must not see. */
export function sendRefusal(call: Call, context: ServerContext) {
  const { request, reply } = call
  const error = toFault(call.error, request)
  const refusal = toRefusal(error)
  factsOf(request).refusal = refusal.code
  if (refusal.status >= 500) logFailure({ error, refusal, request, reply }, context)
  const { contentType, body } = toErrorBody(refusal, {
    url: request.url,
    errorsBase: context.config.server.errors_base,
  })
  return reply.code(refusal.status).headers(refusal.headers).type(contentType).send(JSON.stringify(body))
}

/** Only a bug is worth a stack. A full server, a failed agent and a client that has gone are things that happen. */
function logFailure(call: Failed, { log }: ServerContext): void {
  const { error, refusal, request, reply } = call
  const facts = { request_id: request.id, error: refusal.code }
  if (!(error instanceof Fault)) {
    log.error({ ...facts, stack: error instanceof Error ? error.stack : String(error) }, 'a request failed')
    return
  }
  const told = { ...facts, reason: error.message }
  if (refusal.code === serverTrouble.code) log.error(told, 'the server is in trouble')
  else if (reply.raw.destroyed || refusal.code === shuttingDown.code) log.info(told, 'a request was given up')
  else log.warn(told, 'a request could not be served')
}

/** Fastify has an error of its own for the media type, which it reads before any hook of ours. */
function toFault(error: unknown, request: FastifyRequest): unknown {
  if (errorCode(error) !== 'FST_ERR_CTP_INVALID_MEDIA_TYPE') return error
  return mediaTypeUnsupported({ mediaType: request.headers['content-type'] ?? '' }, error)
}
