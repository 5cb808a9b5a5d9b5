/** Finds the agents that are installed, and how each is started. */
import type { Environment } from '../kit/process/child-environment.ts'
import { findProgram, type SearchPlaces } from '../kit/process/find-program.ts'
import { type AcpSettings, findAcpAgent } from './acp/agent.ts'
import { type Agent, type Backend, NATIVE_BACKENDS, type Program } from './adapter/agent.ts'
import { NO_NEEDS } from './adapter/boundary-needs.ts'
import { backendUnavailable } from './faults.ts'
import { findNativeAgent } from './registry.ts'

/** A native agent. An empty `command` means its usual name. */
type NativeSettings = { enabled: boolean; command: string }

/** The `backends` of the config. */
export type BackendSettings = Readonly<Record<Backend, NativeSettings | AcpSettings>>

export type AgentLocation = {
  backend: Backend
  /** How to talk to it. */
  agent: Agent
  isEnabled: boolean
  /** How it is started; undefined when it is not installed. */
  program: Program | undefined
  /** The built-in demo agent replaces it. */
  isDemo: boolean
  /** The name or path that was searched for: the agent's usual name, or the command in the config. */
  wanted: string
}

export type LocateOptions = SearchPlaces & {
  backends: BackendSettings
  /** How to start the demo agent, if it may replace agents that are not installed. */
  demo?: Program | undefined
}

/** Which backends there are: the native ones first, then those that the config defines, in its order. */
export function backendNames(backends: BackendSettings): Backend[] {
  return [...new Set([...NATIVE_BACKENDS, ...Object.keys(backends)])]
}

/** All backends. Only looks at the disk; starts nothing. */
export function locateAgents(options: LocateOptions): AgentLocation[] {
  return backendNames(options.backends).flatMap((backend) => locateAgent(backend, options) ?? [])
}

/** How a backend is run; undefined if there is no such backend. */
export function locateAgent(backend: Backend, options: LocateOptions): AgentLocation | undefined {
  const settings = Object.hasOwn(options.backends, backend) ? options.backends[backend] : undefined
  if (settings === undefined) return undefined
  return 'protocol' in settings ? locateAcp(backend, settings, options) : locateNative(backend, settings, options)
}

function locateNative(backend: Backend, settings: NativeSettings, options: LocateOptions): AgentLocation | undefined {
  const agent = findNativeAgent(backend)
  if (agent === undefined) return undefined
  const wanted = settings.command || agent.executable
  const path = findProgram(wanted, options)
  const demo = path === undefined && options.demo !== undefined ? ([...options.demo, backend] as const) : undefined
  const program = path === undefined ? demo : ([path] as const)
  const isDemo = demo !== undefined
  return { backend, agent: isDemo ? toDemo(agent) : agent, isEnabled: settings.enabled, program, isDemo, wanted }
}

/** It speaks as the agent does, and neither needs nor makes the agent's files. */
function toDemo(agent: Agent): Agent {
  return { ...agent, boundaryNeeds: () => NO_NEEDS }
}

function locateAcp(backend: Backend, settings: AcpSettings, options: LocateOptions): AgentLocation {
  const [wanted = backend, ...args] = settings.command
  const path = findProgram(wanted, options)
  const program: Program | undefined = path === undefined ? undefined : [path, ...args]
  const agent = findAcpAgent(backend, settings)
  return { backend, agent, isEnabled: settings.enabled, program, isDemo: false, wanted }
}

/** Whether an agent has no login, as far as drover can see. Only a prompt is sure. */
export function lacksLogin({ agent, isDemo }: AgentLocation, env: Environment): boolean {
  return !isDemo && agent.hasLogin?.(env) === false
}

/** Throws the Fault that says why the agent cannot be started. `wanted` is its name in the message. */
export function requireProgram({ backend, isEnabled, program }: AgentLocation, wanted: string): Program {
  if (!isEnabled) throw backendUnavailable({ backend, reason: 'disabled', wanted })
  if (program === undefined) throw backendUnavailable({ backend, reason: 'not_installed', wanted })
  return program
}
