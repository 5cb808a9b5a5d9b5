import type { AgentRequest, NativeBackend } from '../../src/agents/adapter/agent.ts'
import { NATIVE_AGENTS } from '../../src/agents/registry.ts'

/** A request that asks for nothing but an answer. */
export function agentRequest(backend: NativeBackend, over: Partial<AgentRequest> = {}): AgentRequest {
  return {
    agent: NATIVE_AGENTS[backend],
    backend,
    prompt: 'say hello',
    workdir: '/workspace',
    approvalMode: 'default',
    sandboxMode: 'default',
    isVerbose: false,
    ignoresProject: false,
    isLimited: false,
    withoutTools: false,
    closedFiles: [],
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
