/**
 * A server without API keys trusts whoever reaches it, so it must not be reached through somebody's browser: neither
 * under a name that an attacker points at this machine (DNS rebinding), nor by a page of a foreign origin, which may send
 * a body without asking for permission first.
 */
import type { FastifyRequest } from 'fastify'
import type { ServerContext } from '../context/server-context.ts'
import { hostNotAllowed, originNotAllowed } from '../errors/faults.ts'
import { isPreflight } from './cors.ts'
import { isAllowedOrigin, isSameOrigin } from './origin.ts'
import { isLoopbackHost, reachOf } from './reach.ts'

export function guardBrowsers(request: FastifyRequest, context: ServerContext): void {
  const { host, origin } = request.headers
  const { keys, config } = context
  if (!keys.isRequired && host !== undefined && !isLoopbackHost(host) && isLocal(request))
    throw hostNotAllowed({ host })
  if (origin === undefined || (keys.isRequired && !isPreflight(request))) return
  if (isSameOrigin(origin, host) || isAllowedOrigin(origin, config.server.cors_allowed_origins)) return
  throw originNotAllowed({ origin })
}

/** Through a Unix socket no browser can come, so any name will do there. */
function isLocal({ server }: FastifyRequest): boolean {
  const bound = server.server.address()
  return bound !== null && typeof bound === 'object' && reachOf(bound.address) === 'machine'
}
