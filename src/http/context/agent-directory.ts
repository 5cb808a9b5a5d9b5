import type { Backend } from '../../agents/adapter/agent.ts'
import { type Located, locateAgent, locateAgents, type Places } from '../../agents/locate-agents.ts'
import { VersionProbe } from '../../agents/probe-version.ts'
import type { AgentDirectory } from './server-context.ts'

/** An agent that is installed while the server runs is found within this time. */
const LOOK_AGAIN_MS = 5000
/** One that is replaced or removed is still started from where it was for this long. */
const FOUND_FOR_MS = 1000

export function createAgentDirectory(places: Places): AgentDirectory {
  const probe = new VersionProbe(places)
  const versions = new Map<string, string | undefined>()
  const found = new Map<Backend, { at: number; agent: Located }>()
  let looked: { at: number; found: readonly Located[] } | undefined

  const versionOf = async (agent: Located) => {
    // What the operator has disabled is not to be run, not even for that.
    if (!agent.isEnabled) return undefined
    const version = await probe.ask(agent)
    versions.set(agent.backend, version)
    return version
  }
  const list = () => {
    if (looked === undefined || performance.now() - looked.at > LOOK_AGAIN_MS) {
      looked = { at: performance.now(), found: locateAgents(places) }
      for (const agent of looked.found) void versionOf(agent)
    }
    return looked.found
  }
  const find = (backend: Backend) => {
    const known = found.get(backend)
    if (known !== undefined && performance.now() - known.at < FOUND_FOR_MS) return known.agent
    const agent = locateAgent(backend, places)
    if (agent.program !== undefined) found.set(backend, { at: performance.now(), agent })
    return agent
  }
  return { list, find, versionOf, knownVersion: ({ backend }) => versions.get(backend) }
}
