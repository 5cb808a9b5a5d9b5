/**
 * A server without API keys trusts whoever reaches it, so it must not be reached through somebody's browser: neither
 * under a name that an attacker points at this machine (DNS rebinding), nor by a page of a foreign origin, which may send
 * a body without asking for permission first.
 */
import type { FastifyRequest } from 'fastify'
import type { ServerContext } from './context.ts'
import { isPreflight } from './cors.ts'
import { hostNotAllowed, originNotAllowed } from './faults.ts'
import { isAllowedOrigin, isLoopbackHost, isSameOrigin } from './origin.ts'

export function guardBrowsers(request: FastifyRequest, context: ServerContext): void {
  const { host, origin } = request.headers
  const { keys, bind, config } = context
  const isLocalBind = 'host' in bind && isLoopbackHost(bracketed(bind.host))
  if (!keys.isRequired && isLocalBind && host !== undefined && !isLoopbackHost(host)) throw hostNotAllowed({ host })
  if (origin === undefined || (keys.isRequired && !isPreflight(request))) return
  if (isSameOrigin(origin, host) || isAllowedOrigin(origin, config.server.cors_allowed_origins)) return
  throw originNotAllowed({ origin })
}

/** An IPv6 address stands in brackets in a `Host` header, and without them in the configuration. */
function bracketed(host: string): string {
  return host.includes(':') ? `[${host}]` : host
}
