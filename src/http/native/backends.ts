/** `GET /api/v1/backends` */
import type { AgentLocation } from '../../agents/locate-agents.ts'
import { type KnownWorker, machinesWith } from '../../executions/store/work-queue.ts'
import type { RegisterRoutes, ServerContext } from '../context/server-context.ts'
import type { BackendRecord } from './backends.shape.ts'

export const registerBackends: RegisterRoutes = (scope, context) => {
  scope.get('/backends', async () => {
    const workers = await workersOf(context)
    const machinesOf = ({ backend }: AgentLocation) => workers && machinesWith(workers, backend)
    return { backends: context.agents.list().map((agent) => toRecord(agent, context, machinesOf(agent))) }
  })
}

/** Undefined if this server runs prompts itself. */
async function workersOf({ queue, worker }: ServerContext): Promise<readonly KnownWorker[] | undefined> {
  return worker === undefined ? await queue?.workers() : undefined
}

/** Clients must not see where the agent is installed, so the record contains no path. */
function toRecord(
  agent: AgentLocation,
  { agents, config, prompts }: ServerContext,
  machines: readonly string[] | undefined,
): BackendRecord {
  const { backend, isEnabled, isDemo, program } = agent
  const warm = (prompts.warm?.list() ?? []).filter((process) => process.backend === backend)
  const busy = warm.filter(({ state }) => state === 'busy').length
  return {
    name: backend,
    available: isEnabled && (machines === undefined ? program !== undefined : machines.length > 0),
    enabled: isEnabled,
    default: backend === config.default_backend,
    demo: isDemo,
    version: agents.knownVersion(agent) ?? null,
    capabilities: agent.agent.abilities,
    warm: { idle: warm.length - busy, busy },
    ...(machines !== undefined && { machines: [...machines] }),
  }
}
