/**
 * What drover can do, for everyone who asks: a command, a request over HTTP, a tool of MCP, an editor, a program. Every function
 * begins with who asks, and checks what that caller may see. What faces use beside it is about the process and not for a caller:
 * the agents, slots and contexts of `in-process.ts`, and what the class in `execution-calls.ts` adds.
 */
import type { AttributedReply, UserMessage } from '../agents/adapter/agent.ts'
import type { NewKey } from '../config/edit-keys.ts'
import type { RunService } from '../drive/service/run-service.ts'
import type { FollowFrom } from '../executions/follow-events.ts'
import type { SessionTurn } from '../executions/session-turn.shape.ts'
import type { StateChange, WatchOthers } from '../executions/state-feed.ts'
import type { AttachmentRecord, Execution, ExecutionEvent, ExecutionPage } from '../executions/store/execution.shape.ts'
import type { ExecutionFilter } from '../executions/store/execution-store.ts'
import type { ForgottenMachine, Machine, MachineList } from '../executions/store/machines.shape.ts'
import type { UsageRequest } from '../executions/store/usage-query.ts'
import type { UsageReport } from '../executions/store/usage-report.shape.ts'
import type { PendingApproval } from '../prompts/approvals.shape.ts'
import type { BudgetList } from '../prompts/budget-list.shape.ts'
import type { Caller } from '../prompts/caller.ts'
import type { ExecutionOptions } from '../prompts/execution-recorder.ts'
import type { MessageSent } from '../prompts/message-sent.shape.ts'
import type { PromptRunOptions } from '../prompts/prompt-context.ts'
import type { PromptEvent } from '../prompts/prompt-event.ts'
import type {
  ChainRequest,
  CompareRequest,
  KeepRequest,
  ParallelRequest,
  PromptBody,
  ResumeRequest,
} from '../prompts/prompt-request.shape.ts'
import type { ConversationHistory, PromptRequest } from '../prompts/prompt-request.ts'
import type { ChainResult, ComparisonResult, KeepResult, ParallelResult } from '../prompts/prompt-result.shape.ts'
import type { PartResult, PromptResult } from '../prompts/prompt-result.ts'
import type { BatchWatcher } from '../prompts/run-batch.ts'
import type { GivenResults } from '../prompts/tool-turns.ts'
import type { Session } from '../sessions/session.shape.ts'
import type { VisibleSessions } from '../sessions/session-store.ts'
import type { Watcher } from '../watch/record/watch-record.shape.ts'
import type { Preparation } from '../workspace/prepare/prepare-worktree.ts'
import type {
  ApiKeyList,
  CreatedKey,
  RepositoryList,
  RevokedKey,
  RotatedKey,
  SettingList,
} from './administration.shape.ts'

import type { ComparedDiff, ComparisonPage, ComparisonView } from './comparison.shape.ts'

/** `workdir`: without an id, the last comparison in its repository is meant. */
export type WantedDiff = { id?: string; name: string; workdir?: string | undefined }

/** Every function throws a Fault for what drover refuses. */
export type DroverService = {
  readonly prompts: {
    /**
     * Starts a prompt. In the background it runs from here on; otherwise it runs while the caller reads its events or waits
     * for its result, and a caller that reads slowly slows the agent down.
     */
    start(by: Caller, request: PromptRequest, options: StartOptions): Promise<Running<PartResult>>
    /** The same for the next turn of a session, or of a fork of it. */
    resume(by: Caller, request: NextRequest, options: StartOptions): Promise<Running<PartResult>>
  }
  /** A prompt that was started before, here or in another process. */
  attach(by: Caller, id: string, signal: AbortSignal): Promise<Running<PromptResult>>
  /**
   * Gives a turn the results of the calls that it waits for, and continues it. Undefined: no turn waits for them,
   * or the client has said something else before them, or offers something else. Throws a Fault if a result is missing.
   */
  answerCalls(by: Caller, answer: ToolAnswer, options: AnswerOptions): Promise<Running<PartResult> | undefined>
  /** The same for a batch. */
  attachBatch(by: Caller, id: string, signal: AbortSignal): Promise<RunningBatch<object>>
  readonly backends: {
    /** Sends one short prompt, and tells whether the backend works. An agent that fails is a result. */
    test(by: Caller, backend: string, options: TestOptions): Promise<BackendTest>
  }
  /** Several prompts: at once, one after another, or the same one on several agents. */
  readonly batches: {
    parallel(by: Caller, request: ParallelRequest, options: BatchStart): Promise<RunningBatch<ParallelResult>>
    chain(by: Caller, request: ChainRequest, options: BatchStart): Promise<RunningBatch<ChainResult>>
    compare(by: Caller, request: Comparison, options: BatchStart): Promise<RunningBatch<ComparisonResult>>
    /** Keeps the work of one agent of the last comparison in worktrees as a branch, and drops the others. */
    keep(by: Caller, request: KeepRequest, signal: AbortSignal): Promise<KeepResult>
    /** Earlier comparisons, newest first. */
    comparisons(by: Caller, slice: { limit: number; offset: number }, signal: AbortSignal): Promise<ComparisonPage>
    /** A comparison with what became of the work of each agent. */
    comparison(by: Caller, id: string, signal: AbortSignal): Promise<ComparisonView>
    /** What one agent has changed. `name` is one of the comparison. */
    diff(by: Caller, wanted: WantedDiff, signal: AbortSignal): Promise<ComparedDiff>
  }
  readonly executions: ExecutionService
  readonly sessions: SessionService
  readonly runs: Omit<RunService, 'count' | 'continueAll' | 'restart' | 'close'>
  readonly budgets: {
    /** Those that the caller sees: a client those of its key. */
    list(by: Caller): Promise<BudgetList>
  }
  /** The API keys in the config file. Only for those who manage the server, as the next two. */
  readonly keys: {
    list(by: Caller): Promise<ApiKeyList>
    /** The result has the key itself, which is stored nowhere. */
    create(by: Caller, wanted: NewKey): Promise<CreatedKey>
    /** A new secret. What belongs to the key stays its own. */
    rotate(by: Caller, name: string): Promise<RotatedKey>
    revoke(by: Caller, name: string): Promise<RevokedKey>
  }
  readonly settings: {
    /** Those in force, and where each comes from. */
    list(by: Caller): Promise<SettingList>
  }
  readonly repositories: {
    list(by: Caller): Promise<RepositoryList>
  }
  /** The machines that share a PostgreSQL store. Only for those who manage the server. */
  readonly machines: {
    list(by: Caller): Promise<MachineList>
    /** Its workers take nothing more, and end when what they run has ended. */
    drain(by: Caller, name: string): Promise<Machine>
    /** Removes a machine that does not come back. */
    forget(by: Caller, name: string): Promise<ForgottenMachine>
  }
  readonly watchers: {
    /** What is watched on this machine. It belongs to its user: a client with its own key sees nothing. */
    list(by: Caller): Promise<Watcher[]>
    /** Looks at a repository soon, because something has happened there. Returns whether this process watches it. */
    poke(repo: string): Promise<boolean>
  }
}

/** A client sees its own, and those that others share. Someone who sees a session sees all its turns. */
export type SessionService = {
  /** The sessions that the caller sees. All others seem to be missing. */
  of(by: Caller): Promise<VisibleSessions>
  /** The turns that are kept, oldest first, one at a time: together they may have many megabytes. */
  turns(by: Caller, id: string): AsyncGenerator<SessionTurn, void, undefined>
  /** The newest of them, and how many are older. */
  latestTurns(by: Caller, id: string, limit: number): Promise<{ turns: SessionTurn[]; older: number }>
  /** Stores a session without a turn. A prompt with its id as `newSessionId` begins it. */
  prepare(by: Caller, session: Pick<Session, 'backend' | 'metadata'>): Promise<Session>
  /** The request that continues a session, or a fork of it. */
  continuing(by: Caller, request: NextRequest): Promise<PromptRequest>
  /** The conversation of a session, for an agent that does not know it. Throws a Fault if nothing of it is kept. */
  conversation(by: Caller, session: Session): Promise<ConversationHistory>
}

/** A client sees only its own. */
export type ExecutionService = {
  find(by: Caller, id: string): Promise<Execution>
  list(by: Caller, filter: ExecutionFilter, page: { limit: number }): Promise<ExecutionPage>
  /** The events after a number: those that are stored, then live ones, until the end or until the signal. */
  follow(by: Caller, id: string, from: FollowFrom): AsyncGenerator<ExecutionEvent[]>
  /** Returns it as it was. Throws `execution_ended` for one that has ended. */
  cancel(by: Caller, id: string): Promise<Execution>
  /** The record of an execution when it has ended; undefined if the signal comes first. */
  ended(by: Caller, id: string, signal: AbortSignal): Promise<Execution | undefined>
  /** Tells the agent something while it works, or with its next prompt. Throws a Fault if the agent cannot get it. */
  say(by: Caller, id: string, said: MessageToAgent): Promise<MessageSent>
  approvals(by: Caller): Promise<PendingApproval[]>
  /** Throws a Fault if the agent does not wait for this decision, or if the caller may not decide. */
  decide(
    by: Caller,
    waiting: { id: string; approval: string },
    decided: AttributedReply,
  ): Promise<AttributedReply['decision']>
  /**
   * An image or a document of a prompt. Also for those who see the session of the prompt. Throws `attachment_not_found` if there is
   * none.
   */
  attachment(by: Caller, wanted: { id: string; digest: string }): Promise<AttachmentContent>
  /** The changes of all executions that the caller sees, in one stream with others. */
  watch<Other = never>(
    by: Caller,
    signal: AbortSignal,
    watchOthers?: WatchOthers<Other>,
  ): AsyncGenerator<StateChange | Other, void, undefined>
  usage(by: Caller, request: UsageRequest): Promise<UsageReport>
}

/** A text for an agent, and who sends it. */
export type MessageToAgent = Pick<UserMessage, 'text' | 'by'>

export type AttachmentContent = AttachmentRecord & { readonly bytes: Buffer }

/** A prompt that was started. Call one of the functions, once. */
export type Running<Result> = {
  readonly id: string
  /** Which part of a turn with calls of functions of the client it is, from 0. */
  readonly part?: number
  events(): AsyncGenerator<PromptEvent, Result, undefined>
  result(onEvent?: (event: PromptEvent) => unknown): Promise<Result>
}

export type RunningBatch<Result> = { readonly id: string; result(): Promise<Result> }

export type StartOptions = Pick<ExecutionOptions, 'id' | 'createdAt' | 'clientRequest' | 'isEphemeral' | 'onBegin'> &
  Pick<PromptRunOptions, 'onLine' | 'onApproval'> &
  BackgroundOptions

export type BatchStart = Pick<ExecutionOptions, 'id' | 'onBegin'> &
  BackgroundOptions & {
    watcher?: BatchWatcher | undefined
    /** The watcher wants text in pieces, as it comes. */
    wantsDeltas?: boolean
  }

type BackgroundOptions = {
  /** Ends the work. In the background, it ends only what this caller reads. */
  signal: AbortSignal
  /** Others may follow it, and it does not need its caller. */
  isInBackground?: boolean
  /** The caller waits for no result: it is told when the prompt has begun and has a session, or soon after. */
  isDetached?: boolean
  /** Its agent is started for it and ends with it, also if others stay up. */
  isCold?: boolean
  /** Called with the work in the background. Its result is there when this is done. */
  settle?<T extends object>(work: Promise<T>): Promise<T>
}

/** Results of functions that the client runs. */
export type ToolAnswer = GivenResults & {
  /** One of the calls that are answered. */
  callId: string
  /** What the client has said, in order. Undefined: it sends only what is new. */
  said: readonly string[] | undefined
  /** The whole request, for an agent that does not know the turn. */
  request: PromptRequest
}

export type AnswerOptions = Pick<BackgroundOptions, 'signal' | 'isInBackground'>

/** The next prompt of the session with this id. */
export type NextRequest = Omit<ResumeRequest, 'detach'> & { readonly id: string }

/** Whether a backend works, or why it does not. */
export type BackendTest = Pick<
  PromptResult,
  'backend' | 'model' | 'duration_ms' | 'token_usage' | 'cost_usd' | 'cost_kind' | 'error' | 'error_code'
> & {
  works: boolean
  answer: string
}

/** `sandboxed`: a directory to work in, in a sandbox. Without it, `sandbox.mode` decides. */
export type TestOptions = { signal: AbortSignal; timeoutSecs: number; sandboxed?: string }

/** Without a time, `drive.check_timeout_secs` limits a check. Only the user may say how worktrees are prepared. */
export type Comparison = CompareRequest &
  Pick<PromptBody, 'approval_mode' | 'sandbox'> & {
    checkTimeoutMs?: number
    preparation?: Partial<Pick<Preparation, 'setup' | 'copy' | 'share'>>
  }
