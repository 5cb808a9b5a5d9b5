/** Finds the agents that are installed, and how each is started. */
import { findProgram, type SearchPlaces } from '../kit/process/find-program.ts'
import { BACKENDS, type Backend, type Program } from './adapter/agent.ts'
import { backendUnavailable } from './faults.ts'
import { AGENTS } from './registry.ts'

/** An empty `command` means the agent's usual name. */
type BackendSettings = { enabled: boolean; command: string }

export type AgentLocation = {
  backend: Backend
  isEnabled: boolean
  /** How it is started; undefined when it is not installed. */
  program: Program | undefined
  /** The built-in demo agent replaces it. */
  isDemo: boolean
  /** The name or path that was searched for: the agent's usual name, or the command in the config. */
  wanted: string
}

export type LocateOptions = SearchPlaces & {
  backends: Readonly<Record<Backend, BackendSettings>>
  /** How to start the demo agent, if it may replace agents that are not installed. */
  demo?: Program | undefined
}

/** In the order of BACKENDS. Only looks at the disk; starts nothing. */
export function locateAgents(options: LocateOptions): AgentLocation[] {
  return BACKENDS.map((backend) => locateAgent(backend, options))
}

export function locateAgent(backend: Backend, options: LocateOptions): AgentLocation {
  const { enabled, command } = options.backends[backend]
  const wanted = command || AGENTS[backend].executable
  const path = findProgram(wanted, options)
  const demo = path === undefined && options.demo !== undefined ? ([...options.demo, backend] as const) : undefined
  const program = path === undefined ? demo : ([path] as const)
  return { backend, isEnabled: enabled, program, isDemo: demo !== undefined, wanted }
}

/** Throws the Fault that says why the agent cannot be started. `wanted` is its name in the message. */
export function requireProgram({ backend, isEnabled, program }: AgentLocation, wanted: string): Program {
  if (!isEnabled) throw backendUnavailable({ backend, reason: 'disabled', wanted })
  if (program === undefined) throw backendUnavailable({ backend, reason: 'not_installed', wanted })
  return program
}
