/**
 * What drover knows about an agent beyond the protocol. The protocol says how frames look, not what they mean: agents
 * differ in how they fail, count tokens and ask for permission. A profile has what was measured.
 */
import type { JsonRecord } from './json-fields.ts'
import type { Permission } from './permission-levels.ts'

/**
 * Which tokens an agent reports, and where.
 * - `turn`: those of this turn
 * - `last-request`: those of its last model request alone
 * - `session`: those of the whole session so far
 * - `per-request`: those of each model request, in the metadata of a chunk after it
 * - `meta`: those of this turn, in the metadata of the result
 * - `none`: it reports none
 */
type UsageShape = 'turn' | 'last-request' | 'session' | 'per-request' | 'meta' | 'none'

/** The kinds of tool calls in the protocol. */
export const TOOL_KINDS = [
  'read',
  'edit',
  'delete',
  'move',
  'search',
  'execute',
  'think',
  'fetch',
  'switch_mode',
  'other',
] as const
export type ToolKind = (typeof TOOL_KINDS)[number]

type WithoutProject = {
  /** Settings that nothing turns off, in the working directory or above it. Where one exists, the agent is not started. */
  refused: readonly string[]
  /** Environment variables that turn others off. */
  env?: Readonly<Record<string, string>>
  /** `_meta` of a session that turns others off. */
  sessionMeta?: (workdir: string, closedFiles: readonly string[]) => JsonRecord
}

export type AcpProfile = {
  /** The session mode for each permission. Where there is none, only the answers of drover enforce the permission. */
  modes: Partial<Record<Permission, string>>
  /** The agent does something without asking: then its answers alone enforce nothing. */
  asks: 'always' | 'sometimes' | 'never'
  /** Environment variables that make the agent ask, or that stop it from calling home. */
  env?: Readonly<Record<string, string>>
  /** How the agent is kept from the settings of a project. Undefined: it was never tried. */
  withoutProject?: WithoutProject
  /** Environment variables that leave the agent without its own tools. Undefined: it was never tried. */
  withoutTools?: Readonly<Record<string, string>>
  /** Environment variables of a turn with MCP servers: the agent waits for their tools before it asks its model. */
  withServers?: Readonly<Record<string, string>>
  /** Under a ceiling it was seen to read nothing outside of its working directory, whatever the model asked for. */
  staysInside?: true
  usage: UsageShape
  /** What its counts of input and output tokens leave out; drover adds it. */
  countsApart?: { cache: boolean; reasoning: boolean }
  /** How a session is continued in a new process, where that was seen to work. */
  resume?: 'session/load' | 'session/resume' | undefined
  /** The client methods that the agent uses, so that drover runs its commands and edits itself. */
  client?: { files?: true; terminal?: true }
  /** A command that failed was seen to fail, so that one without an error ended with 0. */
  showsExitCodes?: true
  failure?: {
    /** The counts of a turn that has failed are null. */
    usageIsNull?: true
    /** The text of an error, which the agent sends as the last chunk of an answer. */
    lastChunk?: RegExp
  }
  /** Chunks of the answer that report progress instead. */
  notices?: RegExp
  /** The kind of a tool call that the agent does not name, by its title. */
  kinds?: readonly (readonly [RegExp, ToolKind])[]
  /** Its tool calls have no input, only a title: they are reported when they begin. */
  hasNoInput?: true
  /** It says that it takes no images. Others are asked when they start. */
  images?: false
  /** Updates come after the end of the turn. */
  isLate?: true
  /** Files in its home that it reads when it starts. */
  configFiles?: readonly string[]
  /** How long it may print nothing, where that is not 120 s. */
  silenceMs?: number
  /** The command that logs in. */
  login?: string
}

/** For agents that were never measured: nothing is taken for granted. */
export const UNKNOWN_AGENT: AcpProfile = { modes: {}, asks: 'sometimes', usage: 'none', isLate: true }
