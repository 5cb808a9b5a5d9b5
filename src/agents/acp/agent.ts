/** A backend that speaks the Agent Client Protocol (https://agentclientprotocol.com). */

import type { AcpProfile } from '../adapter/acp-profile.ts'
import {
  type Abilities,
  type AcpAgent,
  type AgentCommand,
  type AgentRequest,
  type Backend,
  NATIVE_BACKENDS,
} from '../adapter/agent.ts'
import { toAgentEnvironment } from '../adapter/agent-environment.ts'
import { isDocument, placeFiles, toScratchFiles } from '../adapter/attached-file.ts'
import { warnOfMissing, withSystemPrompt } from '../adapter/flags.ts'
import { stricterPermission, warnOfMissingApprover, warnOfNoSandbox, warnOfStricter } from '../adapter/permission.ts'
import { toolServersOf } from '../adapter/tool-server-place.ts'
import { findAcpNeeds } from './agent-needs.ts'
import { agentToolsFixed } from './faults.ts'
import { readProjectSettings, refuseProjectSettings } from './find-project-settings.ts'
import { findProfile, KNOWN_AGENTS, programName } from './known-agents.ts'

/** The section of the backend in the config. */
export type AcpSettings = {
  enabled: boolean
  protocol: 'acp'
  command: readonly string[]
  env: Readonly<Record<string, string>>
  /** What `drover backends add` has found out. */
  profile?: Readonly<Record<string, string>>
  /** The user says that the agent uses no settings of the project. */
  ignores_project?: boolean
}

/** Most of these agents print what the model thinks and writes as it comes. */
const SILENCE_MS = 120_000

const RESUME_METHODS = ['session/load', 'session/resume'] as const

/** A backend is looked up for every prompt, and its settings do not change. */
const agents = new WeakMap<AcpSettings, AcpAgent>()

export function findAcpAgent(backend: Backend, settings: AcpSettings): AcpAgent {
  const agent = agents.get(settings) ?? createAcpAgent(backend, settings)
  agents.set(settings, agent)
  return agent
}

function createAcpAgent(backend: Backend, settings: AcpSettings): AcpAgent {
  const { command, env, profile: measured = {}, ignores_project: ignoresProject } = settings
  const known = { ...findProfile(command), ...readMeasured(measured) }
  const profile = ignoresProject ? { ...known, withoutProject: { ...known.withoutProject, refused: [] } } : known
  const asking = { ...profile.env, ...env }
  const without = profile.withoutProject?.env
  const variables = {
    ...{ free: env, asking },
    // What the user has set must not turn the settings on again.
    ...{ freeWithoutProject: { ...env, ...without }, askingWithoutProject: { ...asking, ...without } },
  }
  return {
    backend,
    profile,
    executable: command[0] ?? backend,
    login: profile.login === undefined ? 'start it in a terminal and log in' : `run \`${profile.login}\` in a terminal`,
    silenceMs: profile.silenceMs ?? SILENCE_MS,
    abilities: toAbilities(profile),
    countsApart: { cache: false, reasoning: false },
    reports: {
      tokens: profile.usage !== 'none',
      cost: false,
      exitCodes: profile.showsExitCodes === true,
    },
    cancelSignal: 'SIGTERM',
    toCommand: (request) => toAcpCommand(request, { profile, variables }),
    boundaryNeeds: findAcpNeeds(programName(command)),
    readSurroundings: (place) => readProjectSettings(profile, place),
    extraFlags: {},
    modeFlags: {},
  }
}

/** Throws a Fault for an agent that keeps its tools. */
function toNoTools({ backend, withoutTools }: AgentRequest, profile: AcpProfile): AcpProfile['withoutTools'] {
  if (!withoutTools || profile.withoutTools !== undefined) return withoutTools ? profile.withoutTools : {}
  const others = KNOWN_AGENTS.filter((known) => known.profile.withoutTools !== undefined)
  throw agentToolsFixed({ backend, able: [...NATIVE_BACKENDS, ...others.map(({ name }) => name)] })
}

/** What was found out about this installation counts more than what is known of the agent. */
function readMeasured({ resume, images }: Readonly<Record<string, string>>): Pick<AcpProfile, 'resume' | 'images'> {
  return {
    ...(resume !== undefined && { resume: RESUME_METHODS.find((method) => method === resume) }),
    ...(images === 'no' && { images: false }),
  }
}

function toAbilities({ resume, usage, images }: AcpProfile): Abilities {
  const isCounted = usage !== 'none'
  return {
    deltas: true,
    resume: resume !== undefined,
    system_prompt: 'before the prompt',
    max_turns: false,
    output_schema: false,
    images: images !== false,
    documents: true,
    os_sandbox: false,
    usage: { cached: isCounted, reasoning: isCounted },
  }
}

type CommandParts = {
  profile: AcpProfile
  /** `asking` makes the agent ask for what it would otherwise do on its own. */
  variables: Readonly<
    Record<'free' | 'asking' | 'freeWithoutProject' | 'askingWithoutProject', Readonly<Record<string, string>>>
  >
}

/** The text of the prompt is in `stdin`; the runner sends it in a frame. */
function toAcpCommand(request: AgentRequest, { profile, variables }: CommandParts): AgentCommand {
  const { backend, program, extra } = request
  const isFree = !isRestricted(request)
  refuseProjectSettings(request)
  const kind = isFree ? 'free' : 'asking'
  const own = variables[request.ignoresProject ? (`${kind}WithoutProject` as const) : kind]
  const ofServers = toolServersOf(request).length === 0 ? {} : profile.withServers
  return {
    argv: [...program, ...extra],
    env: toAgentEnvironment(request, { ...ofServers, ...own, ...toNoTools(request, profile) }),
    stdin: escapePrompt(withSystemPrompt(request)),
    files: toScratchFiles(placeFiles(request, isDocument), request),
    warnings: [
      ...warnOfMissingApprover(backend, request),
      ...warnOfNoSandbox(backend, request),
      ...warnOfStricter(request),
      ...(isFree ? [] : warnOfUnasked(backend, profile)),
      ...warnOfProject(request, profile),
      ...warnOfMissing(backend, request, { maxTurns: true, verbose: true }),
    ],
  }
}

/** Whether drover restricts the agent: then the agent is told to ask. */
export function isRestricted(request: AgentRequest): boolean {
  const permission = stricterPermission(request)
  return permission !== undefined && permission !== 'everything'
}

/** Agents run `/word` at the start of a prompt as their own command. */
function escapePrompt(prompt: string): string {
  return prompt.startsWith('/') ? `\n${prompt}` : prompt
}

function warnOfUnasked(backend: Backend, { asks, modes }: AcpProfile): string[] {
  if (asks !== 'never' || Object.keys(modes).length > 0) return []
  return [`${backend} never asks for permission, so drover cannot restrict what it does`]
}

function warnOfProject({ ignoresProject, backend }: AgentRequest, { withoutProject }: AcpProfile): string[] {
  if (!ignoresProject || withoutProject !== undefined) return []
  return [
    `drover does not know which settings of the project ${backend} uses, and found none of those that it knows; set backends.${backend}.ignores_project to true if it uses none`,
  ]
}
