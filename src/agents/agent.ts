/** What drover knows of a command-line agent: how to ask it, how to read its answer, what it can really do. */
import type { Abilities, AgentEvent, Usage } from './agent.shape.ts'

export type { Abilities, AgentEvent, Usage }

/** Canonical order; the first is the default. */
export const BACKENDS = ['claude', 'codex', 'gemini'] as const
export type Backend = (typeof BACKENDS)[number]

export const APPROVAL_MODES = ['default', 'auto', 'none', 'always'] as const
export type ApprovalMode = (typeof APPROVAL_MODES)[number]

export const SANDBOX_MODES = ['default', 'read-only', 'workspace', 'full'] as const
export type SandboxMode = (typeof SANDBOX_MODES)[number]

/** What is asked of an agent, in words common to all of them. */
export type AgentRequest = {
  prompt: string
  model?: string
  workdir: string
  approvalMode: ApprovalMode
  sandboxMode: SandboxMode
  maxTurns?: number
  systemPrompt?: string
  isVerbose: boolean
  /** Tools that claude may use without asking; `all` is no limit. */
  allowedTools?: string
  /** Arguments for the agent itself, already judged by the allow-list. */
  extra: readonly string[]
  /** Continue this session of the agent's own. */
  resumeId?: string
  /** Leave no session of the agent's own behind. */
  isEphemeral: boolean
  /** Text in pieces, as the model writes it, where the agent can give them. */
  wantsDeltas: boolean
}

/** What is true around a request when its command is made. */
export type Surroundings = {
  executable: string
  env: Readonly<Record<string, string | undefined>>
  isRoot: boolean
  /** A private directory for files that the command needs; none in a dry run, where such text is shown in the command. */
  scratchDirectory?: string
}

/** How to start an agent for one request. The prompt is in `stdin`, never in `argv`. */
export type AgentCommand = {
  argv: readonly [string, ...string[]]
  /** Variables that it gets besides those of the caller. */
  switches: Readonly<Record<string, string>>
  stdin: string
  /** Written before the start, inside the scratch directory. */
  files: readonly { path: string; content: string }[]
  /** What was asked for and cannot be had, in sentences. */
  warnings: readonly string[]
}

/** How the agent's process ended, seen from outside. */
export type ProcessEnd = { code: number | null; signal: string | null; stderrTail: string }

/** What the agent's output amounts to once it has ended. */
export type Verdict = {
  /** Undefined when the agent succeeded. */
  error?: { code: string; message: string }
  text: string
  usage: Usage
  /** Codex counts a whole thread: what to give as `priorUsage` when this session is resumed. */
  threadUsage?: Usage
  sessionId?: string
  model?: string
  turnCount?: number
}

/** Reads the output of one run of an agent, line by line. It never throws: what it does not know it skips. */
export type OutputReader = {
  readLine(line: string): AgentEvent[]
  /** Whether the agent has said its last word: the terminal event has been read, and only the exit is missing. */
  hasEnded(): boolean
  /** Whether the answer has grown past all reason, so that reading on would only fill the memory. */
  isOverfull(): boolean
  /** After the last line. May give events that could not be given before. */
  finish(end: ProcessEnd): { events: AgentEvent[]; verdict: Verdict }
}

export type Agent = {
  backend: Backend
  /** What it is called on PATH. */
  executable: string
  abilities: Abilities
  /** The signal that makes it end its own tools too. */
  cancelSignal: 'SIGINT' | 'SIGTERM'
  /** Pure. */
  toCommand(request: AgentRequest, around: Surroundings): AgentCommand
  createReader(options: { priorUsage?: Usage }): OutputReader
  /** How to delete a session that the agent keeps although the run was ephemeral; absent where a flag prevents it. */
  toCleanUp?(sessionId: string, around: Surroundings): AgentCommand
  /** Flags a caller may pass through `extra`: names, and whether they take a value. */
  extraFlags: Readonly<Record<string, 'switch' | 'value'>>
}
