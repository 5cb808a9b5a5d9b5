import type { Server } from 'node:http'
import type { FastifyRequest } from 'fastify'
import type { PromptsFor } from '../../drive/service/run-starter.ts'
import { atDepth, depthIn } from '../../kit/process/environment-variables.ts'
import type { PromptContext } from '../../prompts/prompt-context.ts'
import { ceilingsFor } from '../context/ceilings.ts'
import { isOnNetwork } from '../context/exposure.ts'
import { CONSOLE_USER } from '../context/logins.ts'
import { clientOf, toClient } from '../context/sender.ts'
import type { ServerContext } from '../context/server-context.ts'

/** On the local socket a prompt may do what it may do on the command line. */
const FOR_LOCAL_USER = {
  caller: 'operator',
  workdirs: undefined,
  longestRunMs: null,
  firstEventTimeoutMs: null,
  dispatch: undefined,
} as const satisfies Partial<PromptContext>

const reachable = new WeakMap<Server, boolean>()

/** Whether other machines can reach the server. Remembered, because every question for the address is a system call. */
export function isReachable(server: Server): boolean {
  const known = reachable.get(server)
  if (known !== undefined) return known
  const answer = isOnNetwork(server.address())
  if (server.listening) reachable.set(server, answer)
  return answer
}

/** The context for the prompts of a request: agents continue its trace, and its key limits their modes. */
export function promptsOf(request: FastifyRequest, { prompts, config, keys }: ServerContext): PromptContext {
  const { facts, server } = request
  const trace = facts.trace !== undefined && { trace: facts.trace }
  const nested = nestedAt(facts.depth, prompts)
  if (facts.isLocalUser) return { ...prompts, ...FOR_LOCAL_USER, ...trace, ...nested }
  const isOpen = !keys.isRequired && isReachable(server.server)
  const ceilings = ceilingsFor({ server: config.server, key: facts.key, isOpen })
  if (facts.trace === undefined && ceilings === undefined && facts.key === undefined && !nested) return prompts
  return { ...prompts, ceilings, client: clientOf(request), ...trace, ...nested }
}

/** The agents of a request are deeper than its sender. A client that says nothing is as deep as the server. */
function nestedAt(depth: number | undefined, { env }: PromptContext): Pick<PromptContext, 'env'> | false {
  const isSame = depth === undefined || depth === depthIn(env)
  return !isSame && { env: atDepth(env, depth) }
}

/**
 * The contexts for the agents of driven runs, by who started the run. Undefined if a key is not valid any more, or keys
 * are required now. A run has limits of its own, so those for requests do not apply.
 */
export function drivePromptsFor(context: ServerContext, server: Server, depth?: number): PromptsFor {
  const { config, keys } = context
  const prompts = { ...context.prompts, ...nestedAt(depth, context.prompts) }
  return (caller) => {
    if (caller.is === 'user') return { ...prompts, ...FOR_LOCAL_USER }
    const key = caller.keyId === CONSOLE_USER.id ? CONSOLE_USER : keys.withId(caller.keyId ?? '')
    if (key === undefined && (keys.isRequired || caller.key !== undefined)) return undefined
    const isOpen = !keys.isRequired && isReachable(server)
    const ceilings = ceilingsFor({ server: config.server, key, isOpen })
    return { ...prompts, ...FOR_LOCAL_USER, caller: 'client', ceilings, client: toClient(key) }
  }
}

/** The same for a worker, which has no keys: a run goes on with what a server allowed. Undefined if that is not known. */
export function workPromptsFor({ prompts }: ServerContext): PromptsFor {
  return (caller) => {
    if (caller.is === 'user') return { ...prompts, ...FOR_LOCAL_USER }
    const { key: name = '', keyId: id, ceilings } = caller
    const client = id === undefined ? undefined : { id, name }
    return ceilings && { ...prompts, ...FOR_LOCAL_USER, caller: 'client', ceilings, client }
  }
}
