/** What a client of the server may use: the highest modes, and which agents. Pure. */
import type { ApprovalMode, Backend, SandboxMode } from '../agents/adapter/agent.ts'
import { approvalModeAboveCeiling, backendNotAllowed, sandboxModeAboveCeiling } from './faults.ts'
import type { DirectoryCeiling } from './workdir-policy.ts'

/** What a mode lets an agent do without asking: nothing, edit files in its working directory, everything. */
const RANKS = { default: -1, always: 0, 'read-only': 0, auto: 1, workspace: 1, sandboxed: 2, none: 2, full: 2 } as const

const SANDBOX_MODES_BY_RANK = ['read-only', 'workspace', 'full'] as const
const TOP_RANK = RANKS.full

type SandboxCeiling = Exclude<SandboxMode, 'default'>

/** `setting` tells in messages where the ceiling comes from. */
type Ceiling<Mode> = { mode: Mode; setting: string }

/** A mode without a ceiling is not limited. */
export type Ceilings = {
  approval?: Ceiling<Exclude<ApprovalMode, 'default' | 'sandboxed'>>
  sandbox?: Ceiling<SandboxCeiling>
  /** Every agent runs inside of a boundary. This limits no mode. */
  boundary?: { setting: string }
  /** No agent has its own tools. This limits no mode either. */
  tools?: { setting: string }
  /** The MCP servers that agents may have. Without it, all; but none if a mode is limited. */
  mcpServers?: { names: readonly string[]; setting: string }
  /** The directories that agents may work in, of those that the server allows. This limits no mode. */
  directories?: DirectoryCeiling
  /** The agents that it may use. This limits no mode. */
  backends?: { names: readonly Backend[]; setting: string }
}

export function mayUseBackend(backend: Backend, { backends }: Ceilings = {}): boolean {
  return backends?.names.includes(backend) ?? true
}

/** Throws `backend_not_allowed`. No other agent takes its place: the caller is told which it may name. */
export function refuseBackend(backend: Backend, ceilings: Ceilings | undefined): void {
  if (ceilings?.backends !== undefined && !mayUseBackend(backend, ceilings))
    throw backendNotAllowed({ backend, ...ceilings.backends })
}

type AskedModes = { approval_mode?: ApprovalMode; sandbox_mode?: SandboxMode }

/**
 * Throws a Fault for a mode that a request names and that is above a ceiling. A sandbox mode is compared with both
 * ceilings: Codex asks no one in its sandbox, and the other agents ask no one if a request names only a sandbox mode. An
 * approval mode is compared with its own ceiling only, because the sandbox confines what the agent does without asking. In the
 * approval mode `sandboxed`, the boundary confines it: whatever the agent runs changes files only in its worktree.
 * `place` is where the request names them; undefined: it does not, and what it asks for needs them.
 */
export function refuseAboveCeilings(asked: AskedModes, ceilings: Ceilings | undefined, place?: string): void {
  const { approval_mode: approvalMode = 'default', sandbox_mode: sandboxMode = 'default' } = asked
  const isAbove = (limit: { mode: keyof typeof RANKS }, mode: keyof typeof RANKS) => RANKS[mode] > RANKS[limit.mode]
  const { approval, sandbox } = ceilings ?? {}
  const fieldOf = (name: string) => place && `${place}.${name}`
  if (approval !== undefined && isAbove(approval, approvalMode)) {
    const { mode: ceiling, setting } = approval
    throw approvalModeAboveCeiling({ field: fieldOf('approval_mode'), mode: approvalMode, ceiling, setting })
  }
  const compared = approvalMode === 'sandboxed' && sandboxMode === 'full' ? 'workspace' : sandboxMode
  const limit = [sandbox, approval].find((each) => each !== undefined && isAbove(each, compared))
  if (limit === undefined) return
  const { mode: ceiling, setting } = limit
  throw sandboxModeAboveCeiling({ field: fieldOf('sandbox_mode'), mode: sandboxMode, ceiling, setting })
}

type Modes = { approvalMode: ApprovalMode; sandboxMode: SandboxMode }

/** Lowers modes that come from the settings or from a session. It never lets an agent do more than before. */
export function lowerModes(modes: Modes, { approval, sandbox }: Ceilings): Modes {
  const isAbove = approval !== undefined && RANKS[modes.approvalMode] > RANKS[approval.mode]
  const approvalMode = isAbove ? approval.mode : modes.approvalMode
  const isConfined = approvalMode === 'sandboxed' && sandbox?.mode === 'workspace'
  const own = sandbox === undefined || isConfined ? TOP_RANK : RANKS[sandbox.mode]
  if (modes.sandboxMode !== 'default') {
    const both = approval === undefined ? own : Math.min(own, RANKS[approval.mode])
    return { approvalMode, sandboxMode: sandboxModeOf(Math.min(RANKS[modes.sandboxMode], both)) }
  }
  // Without a sandbox mode, the approval mode alone decides what the agent may do, which may be more than to read.
  const needsSandbox = own === RANKS['read-only'] || RANKS[approvalMode] > own
  return { approvalMode, sandboxMode: needsSandbox ? sandboxModeOf(own) : 'default' }
}

/**
 * The first limit of a caller that does not hold for what another one has started: its agents may do what the caller may not ask for.
 * Which agents the caller may use is not compared: `refuseBackend` tells that of the agent that works.
 */
export function findMissingLimit(own: Ceilings = {}, others: Ceilings = {}): { setting: string } | undefined {
  const exceeds = (mine: Ceiling<keyof typeof RANKS> | undefined, theirs: Ceiling<keyof typeof RANKS> | undefined) =>
    mine !== undefined && (theirs === undefined || RANKS[theirs.mode] > RANKS[mine.mode])
  if (exceeds(own.approval, others.approval)) return own.approval
  if (exceeds(own.sandbox, others.sandbox)) return own.sandbox
  if (others.boundary === undefined && own.boundary !== undefined) return own.boundary
  if (others.tools === undefined && own.tools !== undefined) return own.tools
  const [servers, theirs] = [toServers(own), toServers(others)]
  if (servers !== undefined && theirs?.names.every((each) => servers.names.includes(each)) !== true) return servers
  const { directories } = own
  const isIn = (path: string) => directories?.paths.some((each) => isBelow(path, each)) === true
  return directories !== undefined && others.directories?.paths.every(isIn) !== true ? directories : undefined
}

/** The MCP servers that agents may have; undefined: all. */
function toServers(ceilings: Ceilings): Ceilings['mcpServers'] {
  const { mcpServers, approval, sandbox } = ceilings
  const limit = isLimiting(ceilings) ? (sandbox ?? approval) : undefined
  return mcpServers ?? (limit && { names: [], setting: limit.setting })
}

function isBelow(path: string, directory: string): boolean {
  return path === directory || path.startsWith(directory.endsWith('/') ? directory : `${directory}/`)
}

/** Whether an agent may not do everything without asking. */
export function isLimiting({ approval, sandbox }: Ceilings = {}): boolean {
  return [approval, sandbox].some((each) => each !== undefined && RANKS[each.mode] < TOP_RANK)
}

/**
 * For agents whose own settings may let them do everything without asking: without a mode they run with the ceilings. The
 * native agents need this not, because they are told to ask.
 */
export function confineDefault(modes: Modes, { approval, sandbox }: Ceilings): Modes {
  if (modes.approvalMode !== 'default' || modes.sandboxMode !== 'default') return modes
  return { approvalMode: approval?.mode ?? 'default', sandboxMode: sandbox?.mode ?? 'default' }
}

function sandboxModeOf(rank: number): SandboxCeiling {
  return SANDBOX_MODES_BY_RANK[rank] ?? 'read-only'
}
