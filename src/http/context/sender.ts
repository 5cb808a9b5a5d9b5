/** Who sends a request. */
import type { FastifyRequest } from 'fastify'
import type { Decider } from '../../agents/adapter/agent.ts'
import type { AgentLocation } from '../../agents/locate-agents.ts'
import type { ApiKey } from '../../config/api-keys.ts'
import type { Rights } from '../../drive/service/run-starter.ts'
import { userName } from '../../kit/user-name.ts'
import type { Caller, ClientKey } from '../../prompts/caller.ts'
import { mayUseBackend } from '../../prompts/ceilings.ts'
import { ceilingsFor } from '../../service/ceilings-for.ts'
import { CONSOLE_USER } from './logins.ts'
import type { ServerContext } from './server-context.ts'

type Deciding = Pick<ServerContext, 'config' | 'keys' | 'exposure'>

export function toRequestCaller({ facts }: FastifyRequest, context: ServerContext): Caller {
  const { key, isLocalUser, trace, depth } = facts
  if (isLocalUser) return { is: 'user', trace, depth }
  const isUser = key?.id === CONSOLE_USER.id || isOfOneUser(context)
  return { ...toCaller(key, context), trace, depth, ...(isUser && { isUser: true as const }) }
}

/** The agents that the sender may use, whether they are enabled or not. */
export function agentsOf(request: FastifyRequest, context: ServerContext): AgentLocation[] {
  const { ceilings } = toRequestCaller(request, context)
  return context.drover.agents.list().filter(({ backend }) => mayUseBackend(backend, ceilings))
}

/** What the key of a run that was started before allows now. Undefined if it is not valid any more, or keys are required now. */
export function rightsWith(context: Deciding): Rights {
  return (starter) => {
    if (starter.is === 'user') return starter
    const { id } = starter.key ?? {}
    const key = id === CONSOLE_USER.id ? CONSOLE_USER : context.keys.withId(id ?? '')
    if (key === undefined && (context.keys.isRequired || starter.key !== undefined)) return undefined
    return toCaller(key, context)
  }
}

/** What the user of this machine is for another one. */
export const USER_ELSEWHERE: Caller = { is: 'client', role: 'operator', key: toClientKey(CONSOLE_USER), isUser: true }

/** Without keys, all clients are one, and see everything. */
function toCaller(key: ApiKey | undefined, { config, keys, exposure }: Deciding): Caller {
  const isOpen = !keys.isRequired && exposure.isReachable
  const role = keys.isRequired ? (key?.role ?? 'client') : 'operator'
  return {
    is: 'client',
    key: toClientKey(key),
    role,
    ceilings: ceilingsFor({ server: config.server, key, isOpen }),
    ...(key?.mayMerge === true && { mayMerge: true as const }),
    ...(key?.fallback !== undefined && { fallback: key.fallback }),
    ...(key?.budgets !== undefined && { budgets: key.budgets }),
  }
}

function toClientKey(key: ApiKey | undefined): ClientKey | undefined {
  return key && { id: key.id, name: key.name }
}

/** Whether the clients of a server without keys are its user: only this machine can reach it, and nothing limits them. */
function isOfOneUser({ keys, config, drover, exposure }: ServerContext): boolean {
  const { trusted_proxies: proxies, allowed_workdir_prefixes: prefixes } = config.server
  const isLimited = proxies.length > 0 || prefixes.length > 0 || drover.opened.queue !== undefined
  return !keys.isRequired && !isLimited && !exposure.isReachable
}

/** The sender, as the record of a decision names it. */
export function toDecider({ facts }: FastifyRequest): Decider {
  const { key, login, isLocalUser } = facts
  if (isLocalUser) return { via: 'socket', name: userName() }
  if (key === undefined) return { via: 'none' }
  return { via: login === undefined ? 'key' : 'login', name: key.name, key_id: key.id }
}
