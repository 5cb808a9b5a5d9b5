/** Warns about dangerous combinations of settings, each with a suggestion. Pure. */
import { NATIVE_BACKENDS } from '../../agents/adapter/agent.ts'
import { withoutModeFlags } from '../../agents/extra-flags.ts'
import type { AgentLocation } from '../../agents/locate-agents.ts'
import { NATIVE_AGENTS } from '../../agents/registry.ts'
import type { Config } from '../../config/config.shape.ts'
import { findLoweredModes } from '../../config/find-lowered-modes.ts'
import { type Ceilings, isLimiting } from '../../prompts/ceilings.ts'
import { ceilingsFor } from '../../service/ceilings-for.ts'
import { type BoundAddress, type Exposure, findExposure } from '../../service/server-address.ts'

export type SecurityFacts = {
  config: Config
  bound: BoundAddress
  hasKeys: boolean
  hasShortKey: boolean
  isRoot: boolean
  /** Those of `server.allowed_workdir_prefixes` that do not exist. */
  missingDirectories: readonly string[]
  /** False if other machines run the agents. */
  isWorker: boolean
  agents: readonly AgentLocation[]
  /** Where agents can read a key or a password, as text. */
  readableSecrets: readonly string[]
}

export type SecurityWarning = { warning: string; suggestion: string }

type Rule = (facts: SecurityFacts) => SecurityWarning | undefined

/** A warning whose text is always the same. */
type FixedWarning = SecurityWarning & { applies: (facts: SecurityFacts) => boolean }

const exposureOfServer = (bound: BoundAddress): Exposure =>
  'socket' in bound ? 'loopback' : findExposure(bound.address)

/** Other machines send requests: to its address, or to a proxy in front of it. */
const isReachedByOthers = ({ bound, config }: SecurityFacts): boolean =>
  exposureOfServer(bound) !== 'loopback' || config.server.trusted_proxies.length > 0

/** The ceilings for requests whose key has none. */
export function ceilingsOfServer({ config: { server }, bound, hasKeys }: SecurityFacts): Ceilings | undefined {
  return ceilingsFor({ server, key: undefined, isOpen: !hasKeys && exposureOfServer(bound) !== 'loopback' })
}

/** What an agent wrote may be shown by any server on this machine. */
const anyPortWithoutKeys: Rule = ({ config, hasKeys }) => {
  const open = config.server.cors_allowed_origins.filter((origin) => /^https?:\/\/[^*]*:\*$/.test(origin))
  if (hasKeys || open.length === 0) return undefined
  return {
    warning: `auth disabled together with CORS for every port: pages of ${open.join(' and ')} can run agents, even one that an agent wrote`,
    suggestion: 'set DROVER_API_KEYS, or list the origins with their ports in server.cors_allowed_origins',
  }
}

/** Where other machines run the agents, theirs count. */
const missingDirectories: Rule = ({ isWorker, missingDirectories: missing }) => {
  if (!isWorker || missing.length === 0) return undefined
  return {
    warning: `allowed working directories do not exist: prompts in ${missing.join(', ')} are refused`,
    suggestion: 'create them for the user of the server, or correct server.allowed_workdir_prefixes',
  }
}

const loweredModes: Rule = (facts) => {
  const { server } = facts.config
  const { sandbox } = ceilingsOfServer(facts) ?? {}
  const config = { ...facts.config, server: { ...server, max_sandbox_mode: sandbox?.mode ?? server.max_sandbox_mode } }
  const lowered = findLoweredModes(config)
  if (lowered.length === 0) return undefined
  return {
    warning: `configured modes are lowered: ${lowered.join('; ')}`,
    suggestion: 'lower the configured modes, or set server.max_approval_mode and server.max_sandbox_mode',
  }
}

const modeFlags: Rule = (facts) => {
  const { backends } = facts.config
  const dropped = NATIVE_BACKENDS.flatMap(
    (name) => withoutModeFlags(backends[name].extra_flags, NATIVE_AGENTS[name]).dropped,
  )
  const { allowed_tools: tools } = backends.claude
  if (!['', 'all'].includes(tools.trim())) dropped.push(`allowed_tools: ${tools}`)
  const ceilings = ceilingsOfServer(facts)
  if (dropped.length === 0 || ceilings === undefined || !isLimiting(ceilings)) return undefined
  return {
    warning: `extra flags and allowed tools are left out, because they would override the ceilings: ${dropped.join(' ')}`,
    suggestion: 'remove them from extra_flags and allowed_tools of the backend',
  }
}

/** Whether the ceilings of the server, or of one of its keys, limit what agents may do. */
function hasCeilings(facts: SecurityFacts): boolean {
  const own = facts.config.server.keys.flatMap(({ max_approval_mode, max_sandbox_mode }) => [
    max_approval_mode ?? 'none',
    max_sandbox_mode ?? 'full',
  ])
  return isLimiting(ceilingsOfServer(facts)) || own.some((mode) => mode !== 'none' && mode !== 'full')
}

/** Agents that only their own rules keep to a mode, and those of them that could read what drover keeps. */
const notEnforced: Rule = (facts) => {
  const unconfined = facts.agents.filter((each) => isInstalled(each) && !each.agent.abilities.os_sandbox)
  if (facts.config.sandbox.mode === 'required' || unconfined.length === 0 || !hasCeilings(facts)) return undefined
  const readers = unconfined.filter(({ agent }) => 'profile' in agent && agent.profile.staysInside !== true)
  const reading =
    readers.length === 0
      ? ''
      : `, and ${joinNames(readers)} can read what drover keeps of all callers and use its local socket as an admin`
  return {
    warning: `ceilings that the system does not enforce: ${joinNames(unconfined)} follow them by their own rules${reading}`,
    suggestion:
      'set sandbox.mode to required, disable these agents, or run drover as a separate user for each group of callers',
  }
}

const isInstalled = ({ isEnabled, isDemo, program }: AgentLocation) => isEnabled && !isDemo && program !== undefined
const joinNames = (agents: readonly AgentLocation[]) => agents.map(({ backend }) => backend).join(', ')

export function secretWarnings(readableSecrets: readonly string[]): SecurityWarning[] {
  if (readableSecrets.length === 0) return []
  return [
    {
      warning: `agents can read secrets in the environment of a process: ${readableSecrets.join('; ')}`,
      suggestion:
        'start drover without a process around it that has the variable, or create keys with "drover keys create NAME"',
    },
  ]
}

const RULES: readonly (Rule | FixedWarning)[] = [
  {
    applies: ({ bound, hasKeys }) => exposureOfServer(bound) === 'public' && !hasKeys,
    warning:
      'public bind address without API key auth: everyone on the network, and a hostile web page that is opened there, can run agents on this machine',
    suggestion: 'create a key with "drover keys create NAME", or listen on 127.0.0.1',
  },
  {
    applies: ({ bound, hasKeys }) => exposureOfServer(bound) === 'network' && !hasKeys,
    warning:
      'network bind address without API key auth: everyone who can reach it, and a hostile web page that they open, can run agents on this machine',
    suggestion: 'create a key with "drover keys create NAME", or listen on 127.0.0.1',
  },
  {
    applies: ({ config, hasKeys }) => !hasKeys && config.server.cors_allowed_origins.includes('*'),
    warning: 'auth disabled together with wildcard CORS: every web page open in a browser here can run agents',
    suggestion: 'set DROVER_API_KEYS, or list the origins in server.cors_allowed_origins',
  },
  anyPortWithoutKeys,
  {
    applies: ({ config: { server } }) =>
      server.cors_allow_credentials && server.cors_allowed_origins.some((origin) => origin.includes('*')),
    warning: 'CORS credentials allowed for a wildcard origin',
    suggestion: 'list complete origins, or set server.cors_allow_credentials to false',
  },
  {
    applies: (facts) => isReachedByOthers(facts) && facts.hasShortKey,
    warning: 'an API key has fewer than 16 characters: it can be guessed',
    suggestion: 'use a longer key, for example from `openssl rand -hex 24`',
  },
  {
    applies: (facts) => isReachedByOthers(facts) && facts.hasKeys && !facts.config.server.rate_limit_enabled,
    warning: 'no rate limit: clients can send requests as fast as the network allows',
    suggestion: 'set server.rate_limit_enabled to true',
  },
  {
    applies: (facts) => isReachedByOthers(facts) && facts.config.server.allowed_workdir_prefixes.length === 0,
    warning: 'no allowed working directories: network clients can run agents in any directory that is not blocked',
    suggestion: 'set server.allowed_workdir_prefixes to the directories that agents may use',
  },
  {
    applies: (facts) =>
      ceilingsOfServer(facts) === undefined &&
      [facts.config.unified_flags, ...Object.values(facts.config.backends)].some(
        ({ approval_mode }) => approval_mode === 'none',
      ),
    warning: 'approval mode "none": agents run every command of every prompt without asking',
    suggestion: 'use "auto" or "default", and set "none" only in the requests that need it',
  },
  missingDirectories,
  loweredModes,
  modeFlags,
  notEnforced,
  /** What others have asked is theirs, but an agent without a ceiling reads what the user of drover can read. */
  {
    applies: (facts) =>
      facts.hasKeys &&
      (!facts.isWorker || facts.agents.some(isInstalled)) &&
      !hasCeilings(facts) &&
      facts.config.sandbox.mode !== 'required',
    warning: 'keys without ceilings: their agents can read what drover keeps of all callers, and its config',
    suggestion: 'set server.max_sandbox_mode to workspace or read-only, or max_sandbox_mode of single keys',
  },
  {
    applies: (facts) => facts.config.server.allow_unsafe_extra && ceilingsOfServer(facts) === undefined,
    warning: 'unsafe extra arguments allowed: a request can disable the approval and sandbox of its agent',
    suggestion: 'set server.allow_unsafe_extra to false',
  },
  {
    applies: ({ isRoot }) => isRoot,
    warning: 'running as root: agents and their child processes run as root too',
    suggestion: 'run drover as a separate user',
  },
]

export function securityWarnings(facts: SecurityFacts): SecurityWarning[] {
  return [...RULES.flatMap((rule) => warningOf(rule, facts) ?? []), ...secretWarnings(facts.readableSecrets)]
}

function warningOf(rule: Rule | FixedWarning, facts: SecurityFacts): SecurityWarning | undefined {
  if (typeof rule === 'function') return rule(facts)
  const { applies, warning, suggestion } = rule
  return applies(facts) ? { warning, suggestion } : undefined
}
