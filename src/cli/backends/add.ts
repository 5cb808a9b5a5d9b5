/** `backends add`: starts an agent, finds out what it can do, and writes it to the config. */
import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { findKnownAgent, KNOWN_AGENTS } from '../../agents/acp/known-agents.ts'
import { type ProbeReport, probeAgent } from '../../agents/acp/probe.ts'
import { findInRegistry, namesInRegistry, REGISTRY, type RegistryCommand } from '../../agents/acp/registry.ts'
import type { AcpAgent } from '../../agents/adapter/agent.ts'
import { type JsonRecord, parseObject } from '../../agents/adapter/json-fields.ts'
import { buildCommand } from '../../agents/build-command.ts'
import type { Config } from '../../config/config.shape.ts'
import { type BackendSection, setBackendSection } from '../../config/edit-config.ts'
import { problemOfBackendName } from '../../config/setting-rules.ts'
import { toTimestamp } from '../../kit/clock.ts'
import { toErrorMessage } from '../../kit/fault.ts'
import { nearestWord } from '../../kit/match-names.ts'
import { USER } from '../../prompts/caller.ts'
import { toAgentRequest } from '../../prompts/prepare-prompt.ts'
import type { Invocation, RunCommand } from '../command.ts'
import { flagValueInvalid } from '../faults.ts'
import { exitCodeOfSignal, listenForInterruption } from '../interruption.ts'
import { noteRestart } from '../local/background-server.ts'
import { openDrover } from '../open/open-drover.ts'
import { printResult } from '../output/print-result.ts'
import { toOneLine } from '../output/printable.ts'
import { findUserPaths, readSettings } from '../settings.ts'
import { agentUnknown, backendExists, backendNameInvalid, registryUnreadable } from './faults.ts'

export const TIMEOUT_SECS = 120
/** Agents choose their names themselves. */
const PROFILE_COLUMNS = 200
const PROMPT = 'Reply with the single word: ready'

export const add: RunCommand = async (invocation) => {
  const [name = '', ...given] = invocation.args
  const problem = problemOfBackendName(name)
  if (problem !== undefined) throw backendNameInvalid({ name, problem })
  const { config } = await readSettings(invocation)
  if (Object.hasOwn(config.backends, name)) throw backendExists({ name })
  const known = given.length > 0 ? { command: given, env: {} } : findKnownCommand(invocation, name)
  const env = { ...known.env, ...readVariables(invocation) }
  const section: BackendSection = {
    protocol: 'acp',
    command: known.command,
    ...(Object.keys(env).length > 0 && { env }),
  }
  return await probeAndWrite(invocation, { name, section, config, sendsPrompt: invocation.flags.isOn('try') })
}

/** The same for a backend that the config defines: what the user has set for it stays. */
export async function probeAgain(invocation: Invocation, name: string, settings: DefinedBackend): Promise<number> {
  const { config, origins } = await readSettings(invocation)
  const { protocol, command, env } = settings
  const kept = KEPT.filter((key) => origins[`backends.${name}.${key}`]?.from === 'file')
  const section = {
    ...Object.fromEntries(kept.map((key) => [key, settings[key]])),
    protocol,
    command,
    ...(Object.keys(env).length > 0 && { env }),
  }
  return await probeAndWrite(invocation, { name, section, config, sendsPrompt: true })
}

export type DefinedBackend = Extract<Config['backends'][string], { protocol: 'acp' }>

/** What a variable sets is not written to the file. */
const KEPT = ['model', 'approval_mode', 'sandbox_mode', 'silence_secs', 'system_prompt', 'enabled'] as const

export function definedIn({ backends }: Config): string[] {
  return Object.entries(backends).flatMap(([name, settings]) => ('protocol' in settings ? [name] : []))
}

/** What drover has tried itself comes first, unless the user names a registry. */
function findKnownCommand(invocation: Invocation, name: string): RegistryCommand {
  const path = invocation.flags.text('registry')
  const known = path === undefined ? findKnownAgent(name) : undefined
  if (known !== undefined) return { command: known.command, env: {} }
  const registry = path === undefined ? REGISTRY : readRegistry(resolve(invocation.runtime.cwd, path))
  const found = findInRegistry(registry, name)
  if (found !== undefined) return found
  const names = new Set([
    ...(path === undefined ? KNOWN_AGENTS.map((agent) => agent.name) : []),
    ...namesInRegistry(registry),
  ])
  throw agentUnknown({ name, known: [...names], nearest: nearestWord(name, [...names]) })
}

function readRegistry(path: string): JsonRecord {
  try {
    const registry = parseObject(readFileSync(path, 'utf8'))
    if (registry !== undefined && Array.isArray(registry['agents'])) return registry
  } catch (error) {
    throw registryUnreadable({ path, problem: toErrorMessage(error) })
  }
  throw registryUnreadable({ path, problem: 'it is no JSON object with a list of agents' })
}

function readVariables({ flags }: Invocation): Record<string, string> {
  return Object.fromEntries(
    flags.texts('env').map((given) => {
      const [, name, value] = /^([A-Za-z_][A-Za-z0-9_]*)=([\s\S]*)$/.exec(given) ?? []
      if (name === undefined || value === undefined) {
        throw flagValueInvalid({ flag: '--env', given: given.split('=', 1)[0] ?? '', allowed: 'NAME=VALUE' })
      }
      return [name, value]
    }),
  )
}

type NewBackend = { name: string; section: BackendSection; config: Config; sendsPrompt: boolean }

async function probeAndWrite(invocation: Invocation, backend: NewBackend): Promise<number> {
  const { name, section } = backend
  const report = await probe(invocation, backend)
  if (typeof report === 'number') return report
  const profile = toProfile(report, toTimestamp(invocation.runtime.clock.now()))
  const { config: path } = findUserPaths(invocation)
  await setBackendSection({ path, name, section: { ...section, profile } })
  const shown = { name, command: section.command, profile, config: path }
  const code = await printResult(invocation, shown, () => formatReport(shown, report.answer?.text))
  await noteRestart(invocation, `backends.${name}`)
  return code
}

/** What the agent can do, or the exit code of a user who has stopped it. */
async function probe(invocation: Invocation, newBackend: NewBackend): Promise<ProbeReport | number> {
  const { name, section, config, sendsPrompt } = newBackend
  const empty = { model: '', approval_mode: '', sandbox_mode: '', system_prompt: '', allowed_tools: '' } as const
  const lists = { extra_flags: [], model_aliases: {}, profile: {}, env: {} }
  const settings = { ...empty, ...lists, silence_secs: -1, ...section, enabled: true }
  const extended = { ...config, backends: { ...config.backends, [name]: settings } } as Config
  await using drover = openDrover(invocation, { config: extended })
  const request = toAgentRequest({ backend: name, prompt: PROMPT }, drover.contextFor(USER))
  using interruption = listenForInterruption()
  const agent = request.agent as AcpAgent
  const { signal, by } = interruption
  const timeoutMs = 1000 * (invocation.flags.integer('timeout') ?? TIMEOUT_SECS)
  try {
    return await probeAgent({ agent, request, command: buildCommand(request), sendsPrompt, timeoutMs, signal })
  } catch (error) {
    const stoppedBy = by()
    if (stoppedBy === undefined) throw error
    return exitCodeOfSignal(stoppedBy)
  }
}

/** What the config stores: texts, so that a person can read and change them. Pure. */
export function toProfile({ info, session, answer, resume }: ProbeReport, at: string): Record<string, string> {
  const { name = '', version = 'version unknown', takesImages } = info
  return {
    measured: at.slice(0, 10),
    agent: toOneLine(`${name} ${version}`, PROFILE_COLUMNS),
    ...(resume !== undefined && { resume }),
    modes: toOneLine(session.modes.join(', '), PROFILE_COLUMNS) || 'none',
    models: session.modelBy === undefined ? 'no choice' : 'choice',
    ...(answer !== undefined && { usage: answer.hasUsage ? 'reported' : 'none' }),
    images: takesImages ? 'yes' : 'no',
  }
}

type Shown = { name: string; command: readonly string[]; profile: Record<string, string>; config: string }

function formatReport({ name, command, profile, config }: Shown, answer: string | undefined): string {
  const rows = Object.entries({ command: command.join(' '), ...profile })
  const said = answer === undefined ? [] : [`  ${'answer'.padEnd(9)} ${toOneLine(answer.trim(), 60)}`]
  return [
    `${name} is a backend (in ${config})`,
    ...rows.map(([key, value]) => `  ${key.padEnd(9)} ${value}`),
    ...said,
    `Run a prompt with: drover -b ${name} "explain this project"`,
    '',
  ].join('\n')
}
