import type { AgentRequest, Surroundings } from '../../src/agents/agent.ts'

/** A request that asks for nothing but an answer. */
export function agentRequest(over: Partial<AgentRequest> = {}): AgentRequest {
  return {
    prompt: 'say hello',
    workdir: '/workspace',
    approvalMode: 'default',
    sandboxMode: 'default',
    isVerbose: false,
    extra: [],
    isEphemeral: false,
    wantsDeltas: false,
    ...over,
  }
}

export function surroundings(over: Partial<Surroundings> = {}): Surroundings {
  return { executable: '/bin/agent', env: {}, isRoot: false, scratchDirectory: '/scratch', ...over }
}
