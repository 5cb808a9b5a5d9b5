/**
 * Requests from browsers: CORS headers for pages of allowed origins, and protection of a server without API keys. Such a
 * server trusts every caller, so no foreign page may reach it through a browser: neither under a host name that an
 * attacker points at this machine (DNS rebinding) nor with a request that needs no CORS preflight.
 */
import type { IncomingHttpHeaders } from 'node:http'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Config } from '../../config/config.shape.ts'
import { canBeListed } from '../../config/cors-origin.ts'
import { isLoopbackHost } from '../../service/server-address.ts'
import type { ServerContext } from '../context/server-context.ts'
import { hostNotAllowed, originNotAllowed } from '../errors/faults.ts'
import { decodePath } from './target.ts'

const METHODS = 'GET, HEAD, POST, PATCH, DELETE'

/** Headers that the vendors' SDKs send from browsers. */
const ALLOWED_HEADERS = [
  'accept',
  'anthropic-beta',
  'anthropic-dangerous-direct-browser-access',
  'anthropic-version',
  'authorization',
  'cache-control',
  'content-type',
  'idempotency-key',
  'last-event-id',
  'prefer',
  'traceparent',
  'tracestate',
  'x-api-key',
  'x-drover-agent-tools',
  'x-drover-session',
  'x-drover-workdir',
  'x-request-id',
]
const ALLOWED_HEADER_PREFIXES = ['openai-', 'x-stainless-']

const EXPOSED_HEADERS = [
  ...['X-Request-Id', 'Retry-After', 'RateLimit-Limit', 'RateLimit-Remaining', 'RateLimit-Reset', 'Traceparent'],
  ...['X-Drover-Backend', 'X-Drover-Warning', 'X-Drover-Session', 'X-Drover-Error', 'Request-Id'],
  ...['X-Execution-Id', 'Idempotency-Replayed'],
].join(', ')

/** Adds CORS headers if the origin is allowed. Returns true if the request was a preflight and has been answered. */
export function handleCors(
  { request, reply }: { request: FastifyRequest; reply: FastifyReply },
  settings: Pick<Config['server'], 'cors_allowed_origins' | 'cors_allow_credentials' | 'cors_max_age'>,
): boolean {
  // Also without an Origin header: a cache must not serve the response of one origin to another.
  reply.header('vary', 'Origin')
  const { origin } = request.headers
  if (origin === undefined || !isAllowedOrigin(origin, settings.cors_allowed_origins)) return false
  const { cors_allow_credentials: allowsCredentials, cors_allowed_origins, cors_max_age } = settings
  reply.header('access-control-allow-origin', cors_allowed_origins.includes('*') && !allowsCredentials ? '*' : origin)
  if (allowsCredentials) reply.header('access-control-allow-credentials', 'true')
  reply.header('access-control-expose-headers', EXPOSED_HEADERS)
  if (!isPreflight(request)) return false
  reply.headers({
    'access-control-allow-methods': METHODS,
    'access-control-allow-headers': allowedHeaders(request.headers['access-control-request-headers']).join(', '),
    'access-control-max-age': String(cors_max_age),
    'content-length': '0',
  })
  reply.code(204).send()
  return true
}

function isPreflight({ method, headers }: FastifyRequest): boolean {
  return method === 'OPTIONS' && headers.origin !== undefined && headers['access-control-request-method'] !== undefined
}

/** The CORS header cannot express a prefix, so requested headers with an allowed prefix are listed by name. */
function allowedHeaders(requested: string | undefined): string[] {
  const names = (requested ?? '').split(',').map((name) => name.trim().toLowerCase())
  const prefixed = names.filter(
    (name) => /^[a-z0-9-]+$/.test(name) && ALLOWED_HEADER_PREFIXES.some((start) => name.startsWith(start)),
  )
  return [...ALLOWED_HEADERS, ...new Set(prefixed)]
}

/**
 * Refuses a foreign `Host`, and requests of foreign pages. With API keys only preflights are checked: the key protects the rest, and
 * a page cannot send one without a preflight.
 */
export function refuseForeignPages(request: FastifyRequest, { keys, config, exposure }: ServerContext): void {
  const { host, origin } = request.headers
  if (!keys.isRequired && host !== undefined && !isLoopbackHost(host) && exposure.isLoopback) {
    throw hostNotAllowed({ host })
  }
  if (keys.isRequired && !isPreflight(request)) return
  if (isOwnPage(request.headers) || isAllowedOrigin(origin ?? '', config.server.cors_allowed_origins)) return
  if (origin === undefined && opensPage(request)) return
  throw originNotAllowed({ origin: origin ?? 'another site', canBeListed: canBeListed(origin ?? '') })
}

const PAGES = /^\/(?:console\/.*|docs|docs\/.*)?$/

/** Somebody follows a link to a page of this server. That starts nothing, and the page shows nothing to the one with the link. */
function opensPage(request: FastifyRequest): boolean {
  const { 'sec-fetch-mode': mode, 'sec-fetch-dest': destination } = request.headers
  return (
    request.method === 'GET' && mode === 'navigate' && destination === 'document' && PAGES.test(decodePath(request))
  )
}

/**
 * A pattern is an origin with at most one `*`, which matches any characters within the host and port. A `*` as port also
 * matches the default port, which origins omit.
 */
export function isAllowedOrigin(origin: string, patterns: readonly string[]): boolean {
  return patterns.some((pattern) => {
    if (pattern === '*' || pattern === origin || pattern === `${origin}:*`) return true
    const [start = '', end] = pattern.split('*')
    if (end === undefined || origin.length < start.length + end.length) return false
    const matched = origin.slice(start.length, origin.length - end.length)
    return origin.startsWith(start) && origin.endsWith(end) && isHostOrPort(matched)
  })
}

/** A `*` must not match `1@evil.example` as a port, nor a path as a host. */
function isHostOrPort(text: string): boolean {
  return /^[A-Za-z0-9.:-]*$/.test(text)
}

/**
 * Whether a browser sends the request for a page of this server, or for no page at all. `Origin` is missing in requests that
 * only read, so `Sec-Fetch-Site` is looked at too.
 */
export function isOwnPage({ origin, host, 'sec-fetch-site': site = 'none' }: IncomingHttpHeaders): boolean {
  const isOwnSite = site === 'same-origin' || site === 'none'
  return isOwnSite && (origin === undefined || isSameOrigin(origin, host))
}

/** Whether the page was served by this server, as `/docs` is. */
function isSameOrigin(origin: string, host: string | undefined): boolean {
  return host !== undefined && [`http://${host}`, `https://${host}`].includes(origin)
}
