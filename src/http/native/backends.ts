/** `GET /api/v1/backends` */
import type { AgentLocation } from '../../agents/locate-agents.ts'
import type { RegisterRoutes, ServerContext } from '../context/server-context.ts'
import type { BackendRecord } from './backends.shape.ts'

export const registerBackends: RegisterRoutes = (scope, context) => {
  scope.get('/backends', async () => ({ backends: context.agents.list().map((agent) => toRecord(agent, context)) }))
}

/** Clients must not see where the agent is installed, so the record contains no path. */
function toRecord(agent: AgentLocation, { agents, config, prompts }: ServerContext): BackendRecord {
  const { backend, isEnabled, isDemo, program } = agent
  const warm = (prompts.warm?.list() ?? []).filter((process) => process.backend === backend)
  const busy = warm.filter(({ state }) => state === 'busy').length
  return {
    name: backend,
    available: isEnabled && program !== undefined,
    enabled: isEnabled,
    default: backend === config.default_backend,
    demo: isDemo,
    version: agents.knownVersion(agent) ?? null,
    capabilities: agent.agent.abilities,
    warm: { idle: warm.length - busy, busy },
  }
}
