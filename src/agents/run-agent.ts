/**
 * Runs one prompt on one agent. Events come as the agent prints them; `init` is always the first and `done` always the
 * last, however the agent ends. The generator returns the result.
 */
import { OWNER_VARIABLE } from '../kit/process/environment-variables.ts'
import type { AgentCommand, AgentEvent, AgentRequest, TraceContext } from './adapter/agent.ts'
import type { AgentResult } from './agent-result.ts'
import { ColdTurn } from './cold-turn.ts'
import { type AgentRunOptions, runTurn } from './run-turn.ts'

/** Throws a Fault when the agent cannot be started; after the first event it never throws. */
export async function* runAgent(
  request: AgentRequest,
  command: AgentCommand,
  options: AgentRunOptions,
): AsyncGenerator<AgentEvent, AgentResult, undefined> {
  const { agent } = request
  if ('profile' in agent) {
    const { owner, signal, priorUsage, onLine, onApproval, onUsage, onBoundaryEvent } = options
    const marked = { ...command, env: toProcessEnvironment(command.env, { owner, trace: request.trace }) }
    const common = { owner, signal, priorUsage, onLine, onApproval, onUsage, onBoundaryEvent }
    const { runAcpAgent } = await import('./acp/run-acp-agent.ts')
    return yield* runAcpAgent({ agent, request, command: marked, ...common })
  }
  const { owner, ...rest } = options
  const toEnvironment = (env: AgentCommand['env']) => toProcessEnvironment(env, { owner, trace: request.trace })
  return yield* runTurn(request, new ColdTurn(agent, { request, command, toEnvironment, ...rest }))
}

function toProcessEnvironment(
  env: AgentCommand['env'],
  { owner, trace }: { owner: string | undefined; trace: TraceContext | undefined },
): AgentCommand['env'] {
  const owned = owner === undefined ? env : { ...env, [OWNER_VARIABLE]: owner }
  if (trace === undefined) return owned
  // The caller's own TRACESTATE belongs to another trace.
  const { TRACESTATE: _, ...rest } = owned
  const { traceparent, tracestate } = trace
  return { ...rest, TRACEPARENT: traceparent, ...(tracestate !== undefined && { TRACESTATE: tracestate }) }
}
