import type { FastifyReply, FastifyRequest } from 'fastify'
import { Fault, isFault } from '../../kit/fault.ts'
import { shuttingDown } from '../../prompts/faults.ts'
import { databaseTrouble, serverTrouble } from '../../service/faults.ts'
import type { ServerContext } from '../context/server-context.ts'
import { findApiStyle } from '../errors/api-style.ts'
import { toErrorBody } from '../errors/error-body.ts'
import { accessEnded, clientDisconnected, requestCancelled } from '../errors/faults.ts'
import { type HttpError, toHttpError } from '../errors/http-error.ts'

type FailedRequest = { error: unknown; request: FastifyRequest; reply: FastifyReply }

/** Fastify's error handler: sends the error in the format of the API, and logs what the client must not see. */
export function sendError(failed: FailedRequest, context: ServerContext): FastifyReply {
  const { request, reply } = failed
  const error = toReportedError(failed, context)
  const httpError = toHttpError(error)
  request.facts.errorCode = httpError.code
  if (httpError.status >= 500) logError({ ...failed, error }, httpError, context)
  const { errors_base: errorsBase, vendor_errors: isVendorOnly } = context.config.server
  const style = findApiStyle(request.url, request.headers)
  const { contentType, body } = toErrorBody(httpError, { style, errorsBase, isVendorOnly, requestId: request.id })
  // Fastify closes the connection after an invalid body. Here the body was read to its end, so the client may continue.
  reply.removeHeader('connection')
  return reply.code(httpError.status).headers(httpError.headers).type(contentType).send(JSON.stringify(body))
}

/** A prompt of a compatible API that ended because its client had disconnected. */
function toReportedError({ error, request, reply }: FailedRequest, { shutdown }: ServerContext): unknown {
  if (request.facts.errorCode === accessEnded.code) return accessEnded({})
  const isCanceled = isFault(error, shuttingDown) || isFault(error, requestCancelled)
  return isCanceled && reply.raw.destroyed && !shutdown.aborted ? clientDisconnected({}) : error
}

const ENDED: readonly string[] = [shuttingDown.code, requestCancelled.code]

/** Only a bug gets a stack trace. A full queue, a failed agent and a client that disconnected are normal events. */
function logError({ error, request, reply }: FailedRequest, { code }: HttpError, { log }: ServerContext): void {
  const fields = { request_id: request.id, error: code }
  if (!(error instanceof Fault)) {
    log.error({ ...fields, stack: error instanceof Error ? error.stack : String(error) }, 'internal error')
    return
  }
  const explained = { ...fields, reason: error.message }
  if (code === serverTrouble.code) log.error(explained, 'the server cannot access its own files')
  else if (code === databaseTrouble.code) log.error(explained, 'the server cannot use PostgreSQL')
  else if (reply.raw.destroyed || ENDED.includes(code)) log.info(explained, 'request canceled')
  else if (request.facts.isFailureLogged !== true) log.warn(explained, 'request failed')
}
