/**
 * What a request passes before a route sees it, in this order: id and trace, access log, CORS, the guard against browsers,
 * the end of service, rate limit, length, key, form, path, and then the body.
 */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Fault } from '../../kit/fault.ts'
import type { ServerContext } from '../context/server-context.ts'
import { endpointsOf } from '../endpoints.ts'
import { methodNotAllowed, pathNotFound, shuttingDown, tooManyRequests } from '../errors/faults.ts'
import { cutStalled } from '../response/cut-stalled.ts'
import { watchRequest } from './access-log.ts'
import { identify, requireKey } from './authenticate.ts'
import { clientAddress, type TrustedProxies } from './client-address.ts'
import { commonHeaders } from './common-headers.ts'
import type { Connections } from './connections.ts'
import { answerBrowser } from './cors.ts'
import { guardBrowsers } from './guard-browsers.ts'
import type { RateLimiter } from './rate-limit.ts'
import { readBody, refuseLongBody } from './read-body.ts'
import { asksToContinue, refuseMalformed } from './refuse-malformed.ts'
import { factsOf, noteFacts } from './request-facts.ts'
import { pathOf } from './request-target.ts'
import { readTraceparent } from './traceparent.ts'

/** What the hooks share for as long as the server lives. */
export type Doorkeepers = {
  connections: Connections
  proxies: TrustedProxies
  /** Undefined: no limit. */
  limiter: RateLimiter | undefined
}

/** Those that need not wait say so by calling back: a promise for each would cost every request a good part of its time. */
export function addRequestHooks(app: FastifyInstance, context: ServerContext, doorkeepers: Doorkeepers): void {
  const { server } = context.config
  app.addHook('onRequest', (request, reply, goOn) => {
    beginRequest({ request, reply }, context, doorkeepers)
    if (answerBrowser({ request, reply }, server)) return
    guardBrowsers(request, context)
    if (context.shutdown.aborted) throw shuttingDown({})
    const identity = identify(request.headers, context.keys)
    if (identity.is === 'known') factsOf(request).key = identity.key
    limitRate({ request, reply }, doorkeepers.limiter)
    refuseLongBody(request.headers, { limitBytes: server.max_request_body_bytes })
    requireKey({ path: pathOf(request), identity }, { keys: context.keys, isMetricsPublic: server.metrics_public })
    refuseMalformed(request)
    if (request.is404) refuseUnknown(request)
    goOn()
  })
  app.addHook('preValidation', async (request, reply) => {
    if (!WITH_BODY.includes(request.method)) return
    request.body = await readBodyOf({ request, reply }, context, doorkeepers.connections)
  })
  // biome-ignore lint/complexity/useMaxParams: Fastify calls it so
  app.addHook('onSend', (_request, reply, _payload, goOn) => {
    cutStalled(reply.raw, server.write_timeout_secs * 1000)
    if (context.shutdown.aborted) reply.header('connection', 'close')
    goOn()
  })
}

type Call = { request: FastifyRequest; reply: FastifyReply }

/** What every request gets, whatever becomes of it. */
function beginRequest({ request, reply }: Call, context: ServerContext, { connections, proxies }: Doorkeepers): void {
  const { headers, socket } = request.raw
  const trace = readTraceparent(headers['traceparent'])
  const forwardedFor = headers['x-forwarded-for']?.toString()
  const address = clientAddress({ peer: socket.remoteAddress, forwardedFor }, proxies)
  noteFacts(request, { address, trace, key: undefined })
  reply.headers(commonHeaders(request.id))
  if (trace !== undefined) reply.header('traceparent', trace.traceparent)
  connections.requestBegan(request.raw)
  const closed = watchRequest({ request, reply }, context)
  // It closes exactly once, whether the response was finished, broken off or never begun.
  reply.raw.on('close', () => {
    connections.requestAnswered(request.raw)
    closed()
  })
}

/** Counts the request against its key, or where there is no valid one against its address. */
function limitRate({ request, reply }: Call, limiter: RateLimiter | undefined): void {
  if (limiter === undefined) return
  const { isAllowed, limit, remaining, retryAfterSecs, resetSecs } = limiter.admit(factsOf(request))
  reply.headers({
    'ratelimit-limit': String(limit),
    'ratelimit-remaining': String(remaining),
    'ratelimit-reset': String(resetSecs),
  })
  if (!isAllowed) throw tooManyRequests({ limit, retryAfterSecs })
}

export function refuseUnknown(request: FastifyRequest): never {
  const { method, server } = request
  const path = pathOf(request)
  const endpoints = endpointsOf(server)
  const allow = endpoints.methodsOf(path)
  if (allow.length === 0) throw pathNotFound({ path, meant: endpoints.endingIn(path) })
  throw methodNotAllowed({ method, path, allow })
}

const WITH_BODY = ['POST', 'PUT', 'PATCH']

function readBodyOf({ request, reply }: Call, context: ServerContext, connections: Connections): Promise<unknown> {
  const { raw } = request
  const invite = () => {
    if (asksToContinue(raw)) reply.raw.writeContinue()
  }
  const limitBytes = context.config.server.max_request_body_bytes
  const onFailure = (fail: (fault: Fault) => void) => connections.onFailure(raw, fail)
  return readBody(raw, { limitBytes, onFailure, invite })
}
