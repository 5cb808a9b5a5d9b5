import type { FastifyReply, FastifyRequest } from 'fastify'
import { Fault } from '../kit/fault.ts'
import type { ServerContext } from './context.ts'
import { toRefusal } from './fault-status.ts'
import { mediaTypeUnsupported, requestMalformed } from './faults.ts'
import { factsOf } from './request-facts.ts'
import { toErrorBody } from './style.ts'

/** Answers with an error in the style of the path, and logs what the client must not see. */
export function sendRefusal(
  call: { error: unknown; request: FastifyRequest; reply: FastifyReply },
  context: ServerContext,
) {
  const { request, reply } = call
  const error = toFault(call.error, request)
  const refusal = toRefusal(error)
  factsOf(request).refusal = refusal.code
  if (refusal.status >= 500) {
    const facts = {
      request_id: request.id,
      error: refusal.code,
      stack: error instanceof Error ? error.stack : String(error),
    }
    context.log.error(facts, 'a request failed')
  }
  const { contentType, body } = toErrorBody(refusal, {
    url: request.url,
    errorsBase: context.config.server.errors_base,
  })
  return reply.code(refusal.status).headers(refusal.headers).type(contentType).send(JSON.stringify(body))
}

/** Fastify has errors of its own for what it reads before any hook of ours: the path and the media type. */
function toFault(error: unknown, request: FastifyRequest): unknown {
  if (error instanceof Fault || !(error instanceof Error) || !('code' in error)) return error
  switch (error.code) {
    case 'FST_ERR_BAD_URL':
      return requestMalformed({ problem: 'its path is not valid percent-encoding' }, error)
    case 'FST_ERR_MAX_PARAM_LENGTH':
      return requestMalformed({ problem: 'a part of its path is too long' }, error)
    case 'FST_ERR_CTP_INVALID_MEDIA_TYPE':
      return mediaTypeUnsupported({ mediaType: request.headers['content-type'] ?? '' }, error)
    default:
      return error
  }
}
