import type { ClientTool, ToolChoice } from '../agents/adapter/client-tool.ts'
import type { SandboxAdditions } from '../sandbox/create-policy.ts'
import type { Session } from '../sessions/session.shape.ts'
import type { PromptBody as PromptRequestBody } from './prompt-request.shape.ts'

/** An earlier conversation that the agent does not know. */
export type ConversationHistory = {
  /** In front of the prompt. It ends with an empty line. */
  text: string
  /** Warnings about what is missing in it. */
  notes: readonly string[]
}

/** Functions that the agent may call and the client runs. */
export type OfferedTools = {
  tools: readonly ClientTool[]
  /** What the agent may call before its first answer. */
  choice: ToolChoice
  /** A digest of what the client has said. */
  conversation: string
}

/** What a caller wants: the request as it comes over the wire, and what the wire cannot carry. */
export type PromptRequest = PromptRequestBody & {
  /** The id of the new session, if the caller has already chosen one. */
  newSessionId?: string | undefined
  /** The session to continue. */
  resumes?: Session | undefined
  /** The session whose settings a new one takes over. */
  forks?: Session | undefined
  /** The title of a new session. */
  title?: string | undefined
  /** Sent to the agent in front of the prompt, but not stored as a part of it. */
  history?: ConversationHistory | undefined
  /** Sent to the agent after the prompt, but not stored as a part of it. */
  instruction?: string | undefined
  /** What the turn may cost; only agents that report costs keep it. */
  maxCostUsd?: number | undefined
  /** The repository that budgets count it for, if that is not the working directory. */
  budgetDirectory?: string | undefined
  /** The agent uses no settings of the project. A caller with ceilings always gets this. */
  ignoresProject?: boolean
  /** A digest of the programs that the repository named before any agent worked there. Nothing is known under a ceiling. */
  knownGitSettings?: string | undefined
  /** Commands that the agent may run, exactly as they are here, although its modes allow none. Not under a ceiling. */
  allowedCommands?: readonly string[] | undefined
  /** What a sandbox has in it, besides what the settings say. */
  sandboxAdditions?: SandboxAdditions | undefined
  /** The branch that an agent inside may write, such as `refs/heads/one`. By default that of `HEAD`, which an agent may have changed. */
  ownBranch?: string | undefined
  /** The turn waits for the results of its calls. */
  clientTools?: OfferedTools | undefined
  /** The caller wants text in pieces, as the model writes it. */
  wantsDeltas?: boolean
}
