/** Where the agents of a server are: on its own machine, or on those of its workers. */
import type { AgentLocation } from '../../agents/locate-agents.ts'
import { machinesWith } from '../../executions/store/work-queue.ts'
import type { ServerContext } from './server-context.ts'

/** The machines that have the agent; undefined if the server runs prompts itself. */
export type MachinesOf = (agent: AgentLocation) => string[] | undefined

export async function findMachines({ drover }: ServerContext): Promise<MachinesOf> {
  const workers = drover.worker === undefined ? await drover.opened.queue?.workers() : undefined
  return ({ backend }) => workers && machinesWith(workers, backend)
}

export function isInstalled(agent: AgentLocation, machines: readonly string[] | undefined): boolean {
  return machines === undefined ? agent.program !== undefined : machines.length > 0
}
