/** `GET /api/v1/backends` */
import type { BackendRecord } from '../../agents/adapter/agent.shape.ts'
import type { AgentLocation } from '../../agents/locate-agents.ts'
import { machinesWith } from '../../executions/store/work-queue.ts'
import { agentsOf } from '../context/sender.ts'
import type { RegisterRoutes, ServerContext } from '../context/server-context.ts'

export const registerBackends: RegisterRoutes = (scope, context) => {
  scope.get('/backends', async (request) => {
    const machinesOf = await findMachines(context)
    return { backends: agentsOf(request, context).map((agent) => toRecord(agent, context, machinesOf(agent))) }
  })
}

/** Clients must not see where the agent is installed, so the record contains no path. */
function toRecord(
  agent: AgentLocation,
  { config, drover }: ServerContext,
  machines: readonly string[] | undefined,
): BackendRecord {
  const { backend, isEnabled, isDemo } = agent
  const warm = (drover.warm?.list() ?? []).filter((process) => process.backend === backend)
  const busy = warm.filter(({ state }) => state === 'busy').length
  return {
    name: backend,
    available: isEnabled && isInstalled(agent, machines),
    enabled: isEnabled,
    default: backend === config.default_backend,
    demo: isDemo,
    version: drover.agents.knownVersion(agent) ?? null,
    capabilities: agent.agent.abilities,
    warm: { idle: warm.length - busy, busy },
    ...(machines !== undefined && { machines: [...machines] }),
  }
}

/** The machines that have the agent; undefined if the server runs prompts itself. */
export type MachinesOf = (agent: AgentLocation) => string[] | undefined

export async function findMachines({ drover }: ServerContext): Promise<MachinesOf> {
  const workers = drover.worker === undefined ? await drover.opened.queue?.workers() : undefined
  return ({ backend }) => workers && machinesWith(workers, backend)
}

export function isInstalled(agent: AgentLocation, machines: readonly string[] | undefined): boolean {
  return machines === undefined ? agent.program !== undefined : machines.length > 0
}
