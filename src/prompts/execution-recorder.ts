/** How prompts are recorded as executions. The prompts half only knows this interface; `executions` implements it. */
import type { UserMessage } from '../agents/adapter/agent.ts'
import type { AttachedFile } from '../agents/adapter/attached-file.ts'
import type { JsonObject } from '../kit/json-value.ts'
import type { ClientKey } from './caller.ts'
import type { Ceilings } from './ceilings.ts'
import type { MessageOutcome } from './inbox.ts'
import type { PromptEvent } from './prompt-event.ts'
import type { PromptResult } from './prompt-result.ts'

export type ExecutionKind =
  | 'prompt'
  | 'dry_run'
  | 'parallel'
  | 'parallel_task'
  | 'chain'
  | 'chain_step'
  | 'compare'
  | 'compare_backend'
  | 'action'

/** What the caller says about the execution of a prompt. */
export type ExecutionOptions = {
  kind?: ExecutionKind
  /** The id, if the caller has already chosen one. */
  id?: string | undefined
  parentId?: string | undefined
  /** When the request came, if the caller has told it to its client. */
  createdAt?: string | undefined
  /** What the client asked for besides the prompt, if it can read it again. */
  clientRequest?: JsonObject | undefined
  /** Nothing of it is stored. The default is what the request says. */
  isEphemeral?: boolean
  /** How much of it is stored, if not what the recorder is set to. */
  keep?: 'events' | 'results' | 'none' | undefined
  /** Other requests may follow it by its id, even if nothing of it is stored. */
  isInBackground?: boolean
  /** It has waited in the queue of many machines, and its events up to this number are stored. */
  continues?: { lastSeq: number; createdAt: string } | undefined
  /** Called before the prompt waits for its turn. */
  onBegin?: (execution: { id: string }) => void
  /** Called when the prompt has a session that is stored. */
  onSession?: (sessionId: string) => void
}

/** What is known of an execution before it starts. */
export type ExecutionStart = Omit<ExecutionOptions, 'onBegin' | 'onSession'> & {
  kind: ExecutionKind
  /** The API key that it belongs to. */
  client?: ClientKey | undefined
  /** What limits its caller. A message of someone with further limits does not reach its agent. */
  ceilings?: Ceilings | undefined
  backend?: string
  model?: string | undefined
  workdir?: string
  prompt?: string | undefined
  attachments?: readonly AttachedFile[] | undefined
  isDemo?: boolean
  isEphemeral: boolean
  /** No agent runs. */
  isDryRun?: boolean
  /** Called when the execution is cancelled. */
  onCancel(): void
  /** Gives its agent a message. Absent: it has none. */
  onMessage?: ((message: UserMessage) => Promise<MessageOutcome>) | undefined
}

/** The result of a prompt or of a batch. */
export type RecordedResult = PromptResult | { readonly results: readonly PromptResult[]; readonly canceled?: boolean }

export type ExecutionRecording = {
  id: string
  /** The agent gets its turn. When this resolves, no other machine may start it. Throws a Fault if it must not start. */
  started(): Promise<void>
  sessionOpened(sessionId: string): void
  /** Its end is charged to budgets. */
  reserved(): void
  /** Another agent gets the prompt. */
  handedTo(backend: string): void
  /** Returns a promise if the store is behind: the agent is read on when it resolves. */
  event(event: PromptEvent): Promise<void> | undefined
  /** Ends the execution. Returns warnings about what could not be stored. */
  end(result: RecordedResult): Promise<string[]>
  /** Ends an execution that has no result. Without an error, its caller stopped it. */
  abandon(error?: unknown): Promise<void>
}

export type ExecutionRecorder = { begin(start: ExecutionStart): ExecutionRecording }
