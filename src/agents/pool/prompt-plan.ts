/** What a prompt needs from the pool. */
import type { AgentRequest } from '../adapter/agent.ts'
import { type PoolKey, toPoolKey } from './pool-key.ts'
import type { HeldSession } from './pool-rules.ts'
import { findWarmBackend, type WarmBackend } from './warm-backends.ts'

export type PoolRequest = {
  request: AgentRequest
  /** The id of the API key; empty without one. Two clients never share a process. */
  client: string
  /** How many turns the session had that the prompt continues. */
  sessionTurns: number
}

export type PromptPlan = PoolRequest & { backend: WarmBackend; key: PoolKey; session: HeldSession | undefined }

/** Undefined: the prompt needs a separate process. */
export function toPlan(asked: PoolRequest): PromptPlan | undefined {
  const { request, client, sessionTurns } = asked
  const backend = findWarmBackend(request)
  // Without ACP, an agent learns it from the environment of its process.
  const needsTrace = request.trace !== undefined && request.trace.isOwn !== true
  if (needsTrace && backend?.getsTrace !== true) return undefined
  const key = backend && toPoolKey(request, backend, client)
  if (backend === undefined || key === undefined) return undefined
  const { resumeId: id } = request
  const session = id === undefined ? undefined : { id, turns: sessionTurns, parts: describeParts(backend, request) }
  return { ...asked, backend, key, session }
}

export function describeParts(backend: WarmBackend, request: AgentRequest): string {
  return JSON.stringify(backend.sessionParts(request))
}
