/** Which agents can be used here, and how each is started. */
import { findProgram, type SearchPlaces } from '../kit/process/find-program.ts'
import { BACKENDS, type Backend } from './adapter/agent.ts'
import { backendUnavailable } from './faults.ts'
import { AGENTS } from './registry.ts'

/** `command` is empty for the agent's usual name. */
type BackendSettings = { enabled: boolean; command: string }

export type Located = {
  backend: Backend
  isEnabled: boolean
  /** How it is started; undefined when it is not installed. */
  program: readonly [string, ...string[]] | undefined
  /** The built-in demo agent stands in for it. */
  isDemo: boolean
  /** What was looked for: a name on PATH, or the command that the config names. */
  wanted: string
}

export type Places = SearchPlaces & {
  backends: Readonly<Record<Backend, BackendSettings>>
  /** How the demo agent is started, when it may stand in for agents that are not installed. */
  demo?: readonly [string, ...string[]] | undefined
}

/** In canonical order. Looks at the disk, runs nothing. */
export function locateAgents(places: Places): Located[] {
  return BACKENDS.map((backend) => locateAgent(backend, places))
}

export function locateAgent(backend: Backend, places: Places): Located {
  const { enabled, command } = places.backends[backend]
  const wanted = command || AGENTS[backend].executable
  const path = findProgram(wanted, places)
  const standIn = path === undefined && places.demo !== undefined ? ([...places.demo, backend] as const) : undefined
  const program = path === undefined ? standIn : ([path] as const)
  return { backend, isEnabled: enabled, program, isDemo: standIn !== undefined, wanted }
}

/** How to start an agent, or the fault that says why it cannot be. */
export function programOf({ backend, isEnabled, program, wanted }: Located): readonly [string, ...string[]] {
  if (!isEnabled) throw backendUnavailable({ backend, reason: 'disabled', wanted })
  if (program === undefined) throw backendUnavailable({ backend, reason: 'not_installed', wanted })
  return program
}
