import type { Backend } from '../agents/adapter/agent.ts'
import { type AgentLocation, type LocateOptions, locateAgent, locateAgents } from '../agents/locate-agents.ts'
import { VersionProbe } from '../agents/probe-version.ts'

/** Finds agents without a disk access for every request. */
export type AgentDirectory = {
  /** All agents in canonical order, including disabled ones. */
  list(): readonly AgentLocation[]
  /** The agent for a prompt; undefined if there is no such backend. The location of an installed agent is cached for a moment. */
  find(backend: Backend): AgentLocation | undefined
  /** The version, if the background query has returned it. */
  knownVersion(agent: AgentLocation): string | undefined
  /** The version. An agent is asked once. */
  askVersion(agent: AgentLocation): Promise<string | undefined>
}

/** How long the list of agents is cached. An agent that is installed while the server runs appears after this time. */
const LIST_CACHE_MS = 5000
/** How long the location of an installed agent is cached for prompts. */
const LOCATION_CACHE_MS = 1000

export function createAgentDirectory(places: LocateOptions): AgentDirectory {
  const probe = new VersionProbe(places)
  const versions = new Map<string, string | undefined>()
  const located = new Map<Backend, { at: number; agent: AgentLocation }>()
  let listed: { at: number; agents: readonly AgentLocation[] } | undefined

  const askVersion = async (agent: AgentLocation) => {
    // A disabled agent must not be started, not even for its version.
    if (!agent.isEnabled) return undefined
    const version = await probe.ask(agent)
    versions.set(agent.backend, version)
    return version
  }
  const list = () => {
    if (listed === undefined || performance.now() - listed.at > LIST_CACHE_MS) {
      listed = { at: performance.now(), agents: locateAgents(places) }
      for (const agent of listed.agents) void askVersion(agent)
    }
    return listed.agents
  }
  const find = (backend: Backend) => {
    const cached = located.get(backend)
    if (cached !== undefined && performance.now() - cached.at < LOCATION_CACHE_MS) return cached.agent
    const agent = locateAgent(backend, places)
    if (agent?.program !== undefined) located.set(backend, { at: performance.now(), agent })
    return agent
  }
  return { list, find, askVersion, knownVersion: ({ backend }) => versions.get(backend) }
}
