import type { AgentRequest, Backend } from '../../src/agents/adapter/agent.ts'

/** A request that asks for nothing but an answer. */
export function agentRequest(backend: Backend, over: Partial<AgentRequest> = {}): AgentRequest {
  return {
    backend,
    prompt: 'say hello',
    workdir: '/workspace',
    approvalMode: 'default',
    sandboxMode: 'default',
    isVerbose: false,
    extra: [],
    isEphemeral: false,
    wantsDeltas: false,
    program: ['/bin/agent'],
    env: {},
    isRoot: false,
    timeoutMs: 30_000,
    isDryRun: false,
    scratchDirectory: '/scratch',
    ...over,
  }
}
