/** What browsers are told about calls from other origins. It stands outside of everything that may refuse a request. */
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Config } from '../../config/config.shape.ts'
import { isAllowedOrigin } from './origin.ts'

type CorsSettings = Pick<Config['server'], 'cors_allowed_origins' | 'cors_allow_credentials' | 'cors_max_age'>

const METHODS = 'GET, HEAD, POST, PATCH, DELETE'

/** What SDKs in browsers send. */
const ALLOWED_HEADERS = [
  'accept',
  'anthropic-beta',
  'anthropic-dangerous-direct-browser-access',
  'anthropic-version',
  'authorization',
  'cache-control',
  'content-type',
  'traceparent',
  'tracestate',
  'x-api-key',
  'x-request-id',
]
const ALLOWED_PREFIXES = ['openai-', 'x-stainless-']

const EXPOSED_HEADERS = 'X-Request-Id, Retry-After, RateLimit-Limit, RateLimit-Remaining, RateLimit-Reset, Traceparent'

/**
 * Adds what the browser asks about. An origin that is not allowed gets none of it. Gives whether the request was nothing
 * but that question, a preflight, which is answered then.
 */
export function answerBrowser(
  { request, reply }: { request: FastifyRequest; reply: FastifyReply },
  settings: CorsSettings,
): boolean {
  // Whether there is an origin or not, caches must not give the answer for one to another.
  reply.header('vary', 'Origin')
  const { origin } = request.headers
  if (origin === undefined || !isAllowedOrigin(origin, settings.cors_allowed_origins)) return false
  const { cors_allow_credentials: isTrusted, cors_allowed_origins, cors_max_age } = settings
  reply.header('access-control-allow-origin', cors_allowed_origins.includes('*') && !isTrusted ? '*' : origin)
  if (isTrusted) reply.header('access-control-allow-credentials', 'true')
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

export function isPreflight({ method, headers }: FastifyRequest): boolean {
  return method === 'OPTIONS' && headers.origin !== undefined && headers['access-control-request-method'] !== undefined
}

/** The list has no room for prefixes, so those headers are named that were asked for. */
function allowedHeaders(requested: string | undefined): string[] {
  const names = (requested ?? '').split(',').map((name) => name.trim().toLowerCase())
  const prefixed = names.filter(
    (name) => /^[a-z0-9-]+$/.test(name) && ALLOWED_PREFIXES.some((start) => name.startsWith(start)),
  )
  return [...ALLOWED_HEADERS, ...new Set(prefixed)]
}
