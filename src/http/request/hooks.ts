/** The guards that every request passes before its endpoint, in order: those in `onRequest`, and in the functions it calls. */
import type { IncomingMessage } from 'node:http'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { readDepth } from '../../kit/process/environment-variables.ts'
import { shuttingDown } from '../../prompts/faults.ts'
import type { ServerContext } from '../context/server-context.ts'
import { findApiStyle } from '../errors/api-style.ts'
import {
  endpointNotOffered,
  expectationUnsupported,
  methodNotAllowed,
  pathNotFound,
  requestMalformed,
} from '../errors/faults.ts'
import { disconnectIfStalled } from '../response/disconnects.ts'
import { measureRequest } from './access-log.ts'
import { acceptBody, expectsContinue, refuseLongBody } from './body.ts'
import { checkSender, delayWrongKey, wrongKeyIn } from './browser-login.ts'
import { handleCors, refuseForeignPages } from './browsers.ts'
import { type Connections, commonHeaders } from './connection-errors.ts'
import { bodyLimitFor, clientAddress, type KeyCheck, readTrace, requireKey } from './identify.ts'
import type { OpenRequests } from './open-requests.ts'
import { limitRate, type RateLimiter } from './rate-limit.ts'
import { decodePath, isDecodable, isHealthCheck, withRouteWordsOnly } from './target.ts'

export type Endpoint = { method: string; path: string }

/** The state that the guards share across requests. */
export type RequestGuards = {
  connections: Connections
  /** Undefined if there is no rate limit. */
  rateLimiter: RateLimiter | undefined
  openRequests: OpenRequests
  /** All routes of the server, including `HEAD`. */
  routes: readonly Endpoint[]
}

type Exchange = { request: FastifyRequest; reply: FastifyReply }

/** Enough for the body of a log-in on a slow network. */
const STRANGER_BODY_SECS = 5

/** The hooks use callbacks, because a promise for each would slow down every request. */
export function addRequestHooks(app: FastifyInstance, context: ServerContext, guards: RequestGuards): void {
  const { server } = context.config
  // Stryker disable next-line CallExpression: it only saves time
  app.decorateRequest('facts')
  app.addHook('onRequest', (request, reply, done) => {
    startRequest({ request, reply }, context, guards)
    if (handleCors({ request, reply }, server)) return
    const check = identifySender(request, context, guards)
    const accept = () => {
      acceptRequest({ request, reply }, check, { context, guards })
      done()
    }
    const limited = request.facts.isLocalUser ? undefined : limitRate({ request, reply }, guards.rateLimiter)
    const wrong = check.result === 'invalid' ? check.wrong : undefined
    if (limited === undefined && wrong === undefined) return accept()
    const delay = () => wrong && delayWrongKey(wrong, reply, context)
    void Promise.resolve(limited).then(delay).then(accept).catch(done)
  })
  // biome-ignore lint/complexity/useMaxParams: the signature is Fastify's
  app.addHook('onSend', (_request, reply, _payload, done) => {
    disconnectIfStalled(reply.raw, server.write_timeout_secs * 1000)
    if (context.shutdown.aborted) reply.header('connection', 'close')
    done()
  })
}

/** Refuses requests that no sender may send in this way, and finds out who the sender is. */
function identifySender(request: FastifyRequest, context: ServerContext, guards: RequestGuards): KeyCheck {
  const isInReserve = refuseOverLimit(request, guards)
  refuseSeveralHosts(request.raw)
  if (!request.facts.isLocalUser) refuseForeignPages(request, context)
  if (context.shutdown.aborted) throw shuttingDown({})
  // From the reserve only the health is told, to everyone alike.
  const check: KeyCheck = isInReserve ? { result: 'missing' } : checkGuess(request, context)
  if (check.result === 'valid') request.facts.key = check.key
  // Everyone else could hold connections with slow bodies or by reading slowly.
  if (isInReserve || isKnown(request, check, context)) guards.connections.keep(request.raw)
  return check
}

/** If the sender guesses keys, a valid one may count as wrong. A login cannot be guessed. */
function checkGuess(request: FastifyRequest, context: ServerContext): KeyCheck {
  const check = checkSender(request, context)
  if (check.result === 'missing' || request.facts.login !== undefined) return check
  const wrong = wrongKeyIn(request, check.result === 'valid' ? check.key.id : undefined, context)
  return wrong === undefined ? check : { result: 'invalid', wrong }
}

function isKnown({ facts }: FastifyRequest, check: KeyCheck, { keys }: ServerContext): boolean {
  return facts.isLocalUser || !keys.isRequired || check.result === 'valid'
}

type Guarded = { context: ServerContext; guards: RequestGuards }

/** The guards that depend on the sender. */
function acceptRequest({ request, reply }: Exchange, check: KeyCheck, { context, guards }: Guarded): void {
  const { metrics_public: isMetricsPublic, max_request_body_bytes: limitBytes } = context.config.server
  const { isLocalUser } = request.facts
  const isStranger = !isKnown(request, check, context)
  request.facts.bodyLimitBytes = bodyLimitFor(decodePath(request), { isKnown: !isStranger, limitBytes })
  refuseLongBody(request.raw, { limitBytes: request.facts.bodyLimitBytes })
  if (!isLocalUser) requireKey({ path: decodePath(request), check }, { keys: context.keys, isMetricsPublic })
  refuseMalformed(request)
  // Here and not in Fastify's notFoundHandler, which runs after the body has been read.
  if (request.is404) refuseUnknownRoute(request, guards)
  guards.openRequests.add({ request, reply })
  if (isStranger) guards.connections.limitBodyTime(request.raw, STRANGER_BODY_SECS)
  acceptBody(request.raw, reply.raw)
}

/** Runs for every request, also for one that the guards refuse. */
function startRequest({ request, reply }: Exchange, context: ServerContext, guards: RequestGuards): void {
  const { connections, routes } = guards
  const trace = readTrace(request.headers)
  const isLocalUser = connections.isLocal(request.raw)
  const depth = readDepth(String(request.headers['x-drover-depth'] ?? ''))
  const address = clientAddress(request)
  request.facts = { address, trace, depth, key: undefined, isLocalUser, bodyLimitBytes: 0 }
  const span = context.traceRequest?.({ request, reply }, trace)
  if (span !== undefined) request.facts.trace = span.trace
  if (request.is404) request.facts.unknownPath = withRouteWordsOnly(decodePath(request), routes)
  reply.headers(commonHeaders(request.id))
  if (connections.refusal(request.raw) !== undefined) reply.header('connection', 'close')
  // The name of the header in the message API.
  if (findApiStyle(request.url, request.headers) !== 'native') reply.header('request-id', request.id)
  if (trace !== undefined) reply.header('traceparent', trace.traceparent)
  connections.requestStarted(request.raw)
  const report = measureRequest({ request, reply }, context)
  // Emitted exactly once, whether the response was finished, aborted or never started.
  reply.raw.on('close', () => {
    connections.responseClosed(request.raw)
    report()
    span?.end()
  })
}

/** Returns whether the connection is in the reserve. Of a server without a free connection, monitors and users can still learn that it runs. */
function refuseOverLimit(request: FastifyRequest, { connections }: RequestGuards): boolean {
  const refusal = connections.refusal(request.raw)
  if (refusal !== undefined && !isHealthCheck(request)) throw refusal
  return refusal !== undefined
}

/** Endpoints of the vendor whose paths look like that of a response with this id. */
const NOT_OFFERED: ReadonlyMap<string, string> = new Map([
  ['/v1/responses/input_tokens', 'agents cannot count the tokens of a prompt before it runs'],
])

/** Fastify has no 405: it only reports that no route has this method and path. */
function refuseUnknownRoute(request: FastifyRequest, { routes }: RequestGuards): never {
  const path = decodePath(request)
  const reason = NOT_OFFERED.get(path.replace(/^\/openai(?=\/)/, ''))
  if (reason !== undefined) throw endpointNotOffered({ path, reason })
  const allow = routes.filter((route) => matchesPath(route.path, path)).map(({ method }) => method)
  if (allow.length > 0) throw methodNotAllowed({ method: request.method, path, allow: allow.sort() })
  throw pathNotFound({ path, meant: endpointMeantBy(path, routes) })
}

/** Many clients are configured with a base URL that lacks the prefix of the API, or has a part of it twice. */
function endpointMeantBy(path: string, routes: readonly Endpoint[]): string | undefined {
  const tail = path.replace(/^\/(?:openai|anthropic)(?=\/)/, '').replace(/^(?:\/v1)+(?=\/)/, '')
  if (tail.length < 2) return undefined
  const found = routes.map((route) => route.path).filter((each) => each !== tail && each.endsWith(tail))
  return found.find((each) => each.split('/')[1] === path.split('/')[1]) ?? found[0]
}

/** A `:name` in the path of a route matches any text up to the next slash. */
function matchesPath(routePath: string, path: string): boolean {
  const [expected, actual] = [routePath.split('/'), path.split('/')]
  return expected.length === actual.length && expected.every((part, at) => part.startsWith(':') || part === actual[at])
}

/** RFC 9112, section 3.2. Node keeps only the first, and a proxy may have checked another one. */
function refuseSeveralHosts({ rawHeaders }: IncomingMessage): void {
  // Names and values in turn, as they were sent.
  const hosts = rawHeaders.filter((text, at) => at % 2 === 0 && text.length === 4 && text.toLowerCase() === 'host')
  if (hosts.length > 1) throw requestMalformed({ problem: 'it has several Host headers' })
}

/** Node and Fastify would refuse these themselves, but without a request id, an access log entry or a metric. */
function refuseMalformed({ raw, originalUrl }: FastifyRequest): void {
  const { host, expect } = raw.headers
  if (!isDecodable(originalUrl)) throw requestMalformed({ problem: 'its path is not valid percent-encoding' })
  // RFC 9112, section 3.2.
  if (host === undefined && raw.httpVersion === '1.1') throw requestMalformed({ problem: 'it has no Host header' })
  if (expect !== undefined && !expectsContinue(raw)) throw expectationUnsupported({ expectation: expect })
}
