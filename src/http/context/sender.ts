/** Who sends a request: what the sender sees, and to whom belongs what it starts. */
import type { FastifyRequest } from 'fastify'
import type { ApiKey } from '../../config/api-keys.ts'
import type { ClientKey } from '../../prompts/client-key.ts'
import type { VisibleSessions } from '../../sessions/session-store.ts'
import type { ServerContext } from './server-context.ts'

/** No key has this id. */
const UNKNOWN = 'unknown'

/** The id of a key with the role `client`, which sees only what is its own. Undefined: the sender sees everything. */
export function keyThatSees({ facts }: FastifyRequest, { keys }: Pick<ServerContext, 'keys'>): string | undefined {
  if (facts.isLocalUser) return undefined
  return keys.isRequired && facts.key?.role !== 'operator' ? (facts.key?.id ?? UNKNOWN) : undefined
}

/** The sessions that the sender sees. All others seem to be missing. */
export function sessionsOf(request: FastifyRequest, context: Pick<ServerContext, 'keys' | 'store'>): VisibleSessions {
  return context.store.seenBy(keyThatSees(request, context))
}

/** The key that the prompts of a request belong to. Undefined: they belong to the user, or the server has no keys. */
export function clientOf({ facts }: FastifyRequest): ClientKey | undefined {
  return facts.isLocalUser ? undefined : toClient(facts.key)
}

export function toClient(key: ApiKey | undefined): ClientKey | undefined {
  return key && { id: key.id, name: key.name, ...(key.role === 'operator' && { seesAll: true }) }
}
