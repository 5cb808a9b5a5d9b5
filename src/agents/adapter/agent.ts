/** The interface of an agent: how to start it, how to read its output, what it can do. */
import type { ChildEnvironment, Environment } from '../../kit/process/child-environment.ts'
import type { AcpProfile } from './acp-profile.ts'
import type {
  Abilities,
  AgentEvent,
  AgentQuestion,
  ApprovalChoice,
  ApprovalRequest,
  ContextUsage,
  Decider,
  Delivered,
  Usage,
  UserMessage,
} from './agent.shape.ts'
import type { AttachedFile } from './attached-file.ts'
import type { BoundaryNeeds, BoundaryPlan } from './boundary-needs.ts'
import type { ClientTool, ToolChoice } from './client-tool.ts'
import type { JsonRecord } from './json-fields.ts'
import type { Surroundings } from './surroundings.ts'

export type {
  Abilities,
  AgentEvent,
  AgentQuestion,
  ApprovalRequest,
  ContextUsage,
  Decider,
  Delivered,
  Usage,
  UserMessage,
}

/** `message` tells the agent why something is denied. `answers` are for questions: one list for each. */
export type ApprovalReply = {
  decision: ApprovalChoice
  message?: string | undefined
  answers?: readonly (readonly string[])[] | undefined
}

/** A decision, and who made it. */
export type AttributedReply = ApprovalReply & { by: Decider }

/** Decides about what an agent wants to do. `takenBack` is aborted when the agent no longer wants it. */
export type OnApproval = (request: ApprovalRequest, takenBack?: AbortSignal) => Promise<AttributedReply>

/** The agents that drover has a dedicated adapter for, in the order of all lists; the first is the default. */
export const NATIVE_BACKENDS = ['claude', 'codex', 'gemini'] as const
export type NativeBackend = (typeof NATIVE_BACKENDS)[number]
/** The name of a backend: a native one, or one that the config defines. */
export type Backend = string

/** `sandboxed`: everything, but inside of a boundary. */
export const APPROVAL_MODES = ['default', 'auto', 'sandboxed', 'none', 'always'] as const
export type ApprovalMode = (typeof APPROVAL_MODES)[number]

export const SANDBOX_MODES = ['default', 'read-only', 'workspace', 'full'] as const
export type SandboxMode = (typeof SANDBOX_MODES)[number]

/** Whether an agent runs inside of a boundary. `on`: where this machine has one. `required`: or not at all. */
export const SANDBOX_USES = ['off', 'on', 'required'] as const
export type SandboxUse = (typeof SANDBOX_USES)[number]

/** `none`: the agent is a plain model, with functions of the client or without. */
export const AGENT_TOOLS = ['all', 'none'] as const

export type Program = readonly [string, ...string[]]
/** An MCP server of the settings: a program, or an address. Its values are references to secrets. */
export type McpServer = {
  name: string
  command?: string | undefined
  args?: readonly string[] | undefined
  env?: Readonly<Record<string, string>> | undefined
  url?: string | undefined
  headers?: Readonly<Record<string, string>> | undefined
  /** Its tools change nothing. */
  read_only?: boolean | undefined
}

/** W3C trace context, which agents read from TRACEPARENT and TRACESTATE, or from each prompt over ACP. */
export type TraceContext = {
  traceparent: string
  tracestate?: string
  /** Drover began the trace: an agent that stays up may do without it. */
  isOwn?: true
}

/** One prompt for one agent with everything resolved: settings, directory, program, limits. */
export type AgentRequest = {
  agent: Agent
  /** The name of the agent. */
  backend: Backend
  prompt: string
  /** Images and documents. Without any, it may be missing. */
  attachments?: readonly AttachedFile[] | undefined
  model?: string | undefined
  workdir: string
  /** Where it works too, as in the working directory. */
  additionalDirectories?: readonly string[] | undefined
  approvalMode: ApprovalMode
  sandboxMode: SandboxMode
  /**
   * The agent uses no settings that stand in its working directory, such as hooks, MCP servers, permissions and skills:
   * another agent may have written them. Instructions such as `CLAUDE.md` still reach it.
   */
  ignoresProject: boolean
  /** A digest of the programs that the repository named before any agent worked there: these are the user's own. */
  knownGitSettings?: string | undefined
  /** A ceiling limits the caller's modes: the user's own settings of the agent must not add to them. It ignores the project too. */
  isLimited: boolean
  /** Files and directories of drover that the agent must not read, because they hold texts and keys of others. */
  closedFiles: readonly string[]
  /** What drover has read for an agent that ignores the project. */
  surroundings?: Surroundings | undefined
  maxTurns?: number | undefined
  /** What the turn may cost; only for agents that report costs. */
  maxCostUsd?: number | undefined
  systemPrompt?: string | undefined
  /** A JSON Schema that the answer must match. */
  outputSchema?: JsonRecord | undefined
  /** Functions of the client that the agent may call. It gets them from an MCP server of drover, which is its only one where that can be chosen. */
  clientTools?: readonly ClientTool[] | undefined
  /** Which of them it may call first, and whether it has to. */
  toolChoice?: ToolChoice | undefined
  /** The MCP servers of the settings that it gets too. Drover runs them: the agent is connected with them. */
  mcpServers?: readonly McpServer[] | undefined
  /** The agent has no tools but the functions of the client. */
  withoutTools: boolean
  isVerbose: boolean
  /** A person or a client decides about what the agent asks for. Only an agent that stays up can ask. */
  hasApprover?: boolean
  /** Tools that claude may use without asking; `all` means no limit. */
  allowedTools?: string | undefined
  /** Commands that the agent may run, exactly as they are here, although its permission has none; and git to read. */
  allowedCommands?: readonly string[] | undefined
  /** Arguments for the agent itself, already checked against its list of allowed flags. */
  extra: readonly string[]
  /** The agent's own id of the session to continue. */
  resumeId?: string | undefined
  /** The agent stores no session. */
  isEphemeral: boolean
  /** Stream text in pieces, where the agent can. */
  wantsDeltas: boolean
  /** How the agent is started: its path, or a program with arguments that replaces it. */
  program: Program
  /** The name of the program in messages to callers who must not learn its path. */
  shownAs?: string | undefined
  /** The caller's environment. */
  env: Environment
  /** Replaces the trace in the environment. */
  trace?: TraceContext | undefined
  isRoot: boolean
  /** The agent runs inside of a boundary. Undefined: it runs as the user. */
  boundary?: BoundaryPlan | undefined
  /** Why there is no boundary, although the settings ask for one where the machine has it. */
  missingBoundary?: string | undefined
  /** Null: no deadline. */
  timeoutMs: number | null
  /** How long the agent may take to begin its answer; null or undefined: no limit. */
  firstEventTimeoutMs?: number | null | undefined
  /** How long the agent may print nothing; null or undefined: no limit. */
  silenceMs?: number | null | undefined
  /** The command is shown, not run: it names no files. */
  isDryRun: boolean
  /** The directory for the files of the command. The runner creates it when there are any, and removes it afterwards. */
  scratchDirectory: string
}

/** How to start an agent for one request. The prompt is in `stdin`, never in `argv`. */
export type AgentCommand = {
  argv: Program
  env: ChildEnvironment
  stdin: string
  /** Written into the scratch directory before the agent starts. */
  files: readonly { path: string; content: string | Uint8Array }[]
  /** Made in the scratch directory. A directory that a link leads to is created if it does not exist. */
  links?: readonly { path: string; target: string; isDirectory: boolean }[]
  /** A directory for the agent's own temporary files, in the scratch directory. */
  temporaryDirectory?: string
  /** Sentences about parts of the request that the agent cannot fulfil. */
  warnings: readonly string[]
}

/** How the agent's process ended. */
export type ProcessEnd = { code: number | null; signal: string | null; stderrTail: string }

/** A tool call that the agent's own policy denied. */
export type Denial = {
  tool: string
  /** The command or file of the call. */
  subject?: string | undefined
  /** What the agent may not do: edit files, or do everything. Undefined: one level more than it may do now. */
  needs?: 'edit' | 'everything' | undefined
}

/** Why an agent failed. */
export type AgentError = {
  code: string
  message: string
  /** The HTTP status of the model service, where the agent reports it. */
  upstreamStatus?: number
  /** How long the model service wants the caller to wait, where the agent reports it. */
  retryAfterSecs?: number
  /** How to log in, as the agent itself says; in a result, the message says it. */
  login?: string
}

/** What the whole output says, once the agent has ended. */
export type OutputResult = {
  /** Undefined when the agent succeeded. */
  error?: AgentError
  text: string
  usage: Usage
  /** The usage of the whole session, for agents that count it: the `priorUsage` of the next turn. */
  threadUsage?: Usage
  sessionId?: string
  model?: string
  turnCount?: number
  /** What the turn cost in US dollars, as the agent reckons it. */
  costUsd?: number
  context?: ContextUsage
  /** The failure of the model service after which the agent last tried again. */
  lastRetry?: AgentError
  /** Tool calls that the agent's own policy denied. */
  denials?: readonly Denial[]
  /** Sentences about the output for the caller. */
  warnings?: readonly string[]
}

/** Reads the output of one run of an agent, line by line. It never throws, and skips what it does not know. */
export type OutputReader = {
  readLine(line: string): AgentEvent[]
  /** The same for a line that was parsed already. */
  readFrame(frame: JsonRecord, line: string): AgentEvent[]
  /** The answer has begun: a text, a thought or a tool call was read. */
  hasBegun(): boolean
  /** Reads a line of stderr while the agent runs; absent for agents that report nothing of interest there. */
  readNotice?: ((line: string) => AgentEvent[]) | undefined
  /** What the turn has used so far; undefined if the agent does not say so before its end. */
  usageSoFar(): Usage | undefined
  /** The terminal event has been read; only the exit is missing. */
  hasEnded(): boolean
  /** The model service has refused the login of the agent twice in a row, and the agent only tries again. */
  isRefused(): boolean
  /** The answer is longer than any real one: reading on would only fill the memory. */
  isTooLong(): boolean
  /** Called after the last line. May return more events. A failure may name a time, which is compared with `now`. */
  finish(end: ProcessEnd, now: Date): { events: AgentEvent[]; result: OutputResult }
}

/** An agent that reads the prompt from standard input, and prints lines. */
export type LineAgent = AgentTraits & { createReader(options: ReaderOptions): OutputReader }

type ReaderOptions = {
  priorUsage?: Usage
  /** What the agent's own counts include, as it has printed or stored it. */
  earlier?: JsonRecord | undefined
  /** False: text that the agent prints in pieces is reported as a whole. */
  wantsDeltas?: boolean
}

/** An agent that speaks the Agent Client Protocol. */
export type AcpAgent = AgentTraits & { profile: AcpProfile }

export type Agent = LineAgent | AcpAgent

/** What an agent tells about a turn. */
type Reports = {
  /** What the turn used. */
  tokens: boolean
  /** What the turn cost. */
  cost: boolean
  /** How each command ended: without an error, it ended with 0. */
  exitCodes: boolean
}

/** The file in which an agent keeps a session, and the name of the directory that it is in. */
export type SessionFile = { directory: string; bytes: Uint8Array }

type OfPlace = Pick<AgentRequest, 'env' | 'workdir' | 'additionalDirectories'>

type AgentTraits = {
  backend: Backend
  /** Its name on PATH. */
  executable: string
  /** What a user does to log in, as the rest of a sentence. */
  login: string
  /** The same after this failure, if what is set already makes other steps necessary. */
  loginAfter?: (message: string, env: Environment) => string | undefined
  /** Whether a file with a login or a variable with a key exists, for agents of which that is known. Reads no content. */
  hasLogin?: (env: Environment) => boolean
  /** How long it may print nothing, if no setting says so: some work for minutes before they print a whole message. */
  silenceMs: number
  abilities: Abilities
  /** What its counts of input and output tokens leave out. */
  countsApart: { cache: boolean; reasoning: boolean }
  reports: Reports
  /** The signal on which it ends its own tools too. */
  cancelSignal: 'SIGINT' | 'SIGTERM'
  /** Pure. Callers use `buildCommand`, which checks the request too. */
  toCommand(request: AgentRequest): AgentCommand
  /** What it needs inside of a boundary; undefined if no one has tried. */
  boundaryNeeds?: ((place: OfPlace) => BoundaryNeeds) | undefined
  /** Whether it changes no files, if that is not decided by the stricter of both modes. */
  isReadOnly?: (request: AgentRequest) => boolean
  /** Reads what the command of an agent that ignores the project needs; absent if it needs nothing. */
  readSurroundings?: (place: OfPlace) => Surroundings
  /** The model that the agent uses when the request names none, where its events do not name it. Reads its config. */
  configuredModel?: (request: Pick<AgentRequest, 'extra' | 'env'>) => string | undefined
  /** Deletes a stored session without starting the agent. False: there is no such session where it was looked for. */
  deleteSession?: (sessionId: string, request: AgentRequest) => Promise<boolean>
  /** Deletes a session that the agent stored although the prompt was ephemeral; absent where a flag prevents that. */
  toCleanUpCommand?: (sessionId: string, request: AgentRequest) => AgentCommand
  /** Reads and writes the file of a session; absent for agents that cannot continue a session on another machine. */
  sessionFile?: {
    read(sessionId: string, place: OfPlace): Promise<SessionFile | undefined>
    write(sessionId: string, file: SessionFile, place: OfPlace): void
  }
  /** What the agent has counted in a session, if the counts of a process that resumes it include that. */
  readSessionCounts?: (sessionId: string, place: OfPlace) => Promise<JsonRecord | undefined>
  /** Flags that a caller may pass in `extra`, and whether they take a value. */
  extraFlags: Readonly<Record<string, 'switch' | 'value'>>
  /** Flags that override the modes of a request, also if the config sets them. With a pattern, only if their value matches. */
  modeFlags: Readonly<Record<string, 'switch' | 'value' | 'values' | RegExp>>
}
