/** What browsers are told about calls from other origins. It stands outside of everything that may refuse a request. */
import type { FastifyCorsOptions } from '@fastify/cors'
import type { FastifyRequest } from 'fastify'
import type { Config } from '../../config/config.shape.ts'
import { isAllowedOrigin } from './origin.ts'

type CorsSettings = Pick<Config['server'], 'cors_allowed_origins' | 'cors_allow_credentials' | 'cors_max_age'>

const METHODS = ['GET', 'HEAD', 'POST', 'PATCH', 'DELETE']

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

const EXPOSED_HEADERS = [
  'X-Request-Id',
  'Retry-After',
  'RateLimit-Limit',
  'RateLimit-Remaining',
  'RateLimit-Reset',
  'Traceparent',
]

/** The answer for one request. An origin that is not allowed gets no CORS headers at all. */
export function corsOptions(request: FastifyRequest, settings: CorsSettings): FastifyCorsOptions {
  const { origin } = request.headers
  if (origin === undefined || !isAllowedOrigin(origin, settings.cors_allowed_origins)) return { origin: false }
  const isAny = settings.cors_allowed_origins.includes('*') && !settings.cors_allow_credentials
  return {
    origin: isAny ? '*' : origin,
    credentials: settings.cors_allow_credentials,
    methods: METHODS,
    allowedHeaders: allowedHeaders(request.headers['access-control-request-headers']),
    exposedHeaders: EXPOSED_HEADERS,
    maxAge: settings.cors_max_age,
    preflight: isPreflight(request),
  }
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
