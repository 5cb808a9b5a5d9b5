import type { Located } from '../../agents/locate-agents.ts'
import { AGENTS } from '../../agents/registry.ts'
import type { ServerContext } from '../context/server-context.ts'
import type { RegisterRoutes } from '../register-routes.ts'
import type { BackendRecord } from './backends.shape.ts'

export const registerBackends: RegisterRoutes = (scope, context) => {
  scope.get('/backends', async () => {
    return { backends: await Promise.all(context.agents.list().map((agent) => toRecord(agent, context))) }
  })
}

/** Where the agent is installed is nobody's business on the network, so no path is told. */
async function toRecord(agent: Located, { agents, config }: ServerContext): Promise<BackendRecord> {
  const { backend, isEnabled, isDemo, program } = agent
  return {
    name: backend,
    available: isEnabled && program !== undefined,
    enabled: isEnabled,
    default: backend === config.default_backend,
    demo: isDemo,
    version: (await agents.versionOf(agent)) ?? null,
    capabilities: AGENTS[backend].abilities,
  }
}
