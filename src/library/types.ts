/** The public types of the library, beside those of the messages. */
import type {
  ActRequest,
  ApprovalRequest,
  BudgetList,
  ChainRequest,
  ChainResult,
  CompareRequest,
  ComparisonResult,
  DiffQuery,
  DrivenDiff,
  DrivenRun,
  DrivenRunEvent,
  DrivenRunPage,
  DriveRequest,
  DroverConfig,
  Execution,
  ExecutionEvent,
  ExecutionPage,
  ExecutionQuery,
  KeepRequest,
  KeepResult,
  MessageSent,
  NightReports,
  ParallelRequest,
  ParallelResult,
  PromptEvent,
  PromptRequest,
  PromptResult,
  ReportQuery,
  RunAnswer,
  RunQuery,
  RunVerdict,
  Session,
  SessionChange,
  SessionPage,
  SessionQuery,
  SessionTurn,
} from './messages.generated.ts'

/** Options of {@link createDrover}. */
export type DroverOptions = {
  /**
   * Settings as in the config file, for example `{ default_backend: 'codex' }`. They count more than environment variables,
   * which count more than the file.
   */
  config?: DroverConfig | undefined
  /** The config file. The default is `config.yaml` in the directory of the user; false: none is read. */
  configFile?: string | false | undefined
  /** The directory of sessions, executions and worktrees, instead of `~/.drover`: an absolute path. */
  home?: string | undefined
  /** The working directory of prompts that name none. The default is that of the process. */
  cwd?: string | undefined
  /** The environment variables of drover and of the agents. The default is `process.env`. */
  env?: Readonly<Record<string, string | undefined>> | undefined
  /** Whether the built-in demo agent replaces agents that are not installed. */
  demo?: boolean | undefined
  /** Whether agents stay up between prompts, until `close()`. The next answer then begins sooner. */
  warm?: boolean | undefined
  /** Gets sentences about what is probably a mistake. By default they are not shown. */
  onWarning?: ((message: string) => void) | undefined
}

/** What a caller decides about something that an agent asks for. */
export type ApprovalDecision =
  | 'allow'
  /** The same again in this session, too. */
  | 'allow_session'
  | 'deny'
  | {
      decision: 'allow' | 'allow_session' | 'deny'
      /** Told to the agent. */
      message?: string | undefined
      /** With `allow`, if the agent asks questions: one list of texts for each. */
      answers?: readonly (readonly string[])[] | undefined
    }

/** Options of every call. */
export type CallOptions = {
  /** Ends the agents when it is aborted. */
  signal?: AbortSignal | undefined
}

/** Options of {@link Drover.prompt}. */
export type PromptOptions = CallOptions & {
  /**
   * Decides about what the agent asks for, with `approval_mode: 'always'`. Without it, or if it throws or returns anything
   * else, what the agent asks for is denied.
   */
  onApproval?: ((request: ApprovalRequest) => ApprovalDecision | Promise<ApprovalDecision>) | undefined
  /** Whether text comes in pieces, as the model writes it. True by default. */
  deltas?: boolean | undefined
}

/** Options of calls with several prompts. */
export type BatchOptions = CallOptions & {
  /** Gets the events of every prompt. `item` counts the prompts from 0. */
  onEvent?: ((event: BatchEvent) => void) | undefined
}

/** An event of one of several prompts. */
export type BatchEvent =
  | {
      type: 'started'
      /** Counts the prompts from 0. */
      item: number
    }
  | {
      type: 'ended'
      /** Counts the prompts from 0. */
      item: number
      /** The result, also of a prompt that has failed. */
      result: PromptResult
    }
  | {
      type: 'event'
      /** Counts the prompts from 0. */
      item: number
      /** The event of the agent. */
      event: Pick<PromptEvent, 'type' | 'content'>
    }

/** The result of a prompt. In a program, every prompt is an execution. */
export type EndedPrompt = PromptResult & {
  /** The execution. */
  execution_id: string
}

/**
 * A prompt that runs. It has begun when you get it, and its events are kept, so that a loop sees all of them. A loop that is
 * left early ends the agent.
 */
export type PromptRun = AsyncIterable<PromptEvent> & {
  /** The result of a prompt that has succeeded. Rejects with a {@link DroverError} otherwise. */
  readonly result: Promise<EndedPrompt>
  /** Tells the agent something while it works. The answer says whether it gets the text now or with the next prompt of its session. */
  say(text: string): Promise<MessageSent>
  /** Ends the agent. */
  cancel(): void
}

/** A record of what happens in a run that agents do: `attempt_started`, `check_ran`, `paused`, `delivered` … */
export type DriveRecord = RecordOf<DrivenRunEvent>

type RecordOf<E extends DrivenRunEvent> = E extends { seq: number }
  ? Omit<E, 'seq'> & {
      /** The run; a later round is a separate run. */
      run_id: string
    }
  : never

/** How the drive of a run has ended. */
export type DriveResult = {
  /** The last run. */
  run_id: string
  /** What became of the run: its word, its reason and the exit code of `drover drive`. */
  verdict: RunVerdict
  /** As `drover.runs.get` shows it. */
  state: DrivenRun['state']
  /** Why it is `paused`, or what it is `waiting` for. */
  pause_reason?: NonNullable<DrivenRun['pause']>['reason'] | NonNullable<DrivenRun['waits_for']>['reason'] | undefined
  /** The code of the error of its last agent, if it is `paused` because that failed. */
  error_code?: string | undefined
  /** What a person has to know or decide; absent if the run has ended. */
  question?: string | undefined
  /** Whether the checks passed after the last change; absent if there were none, or nothing to check. */
  checks_passed?: boolean | undefined
  /** Where the work is, also if the verdict is `not delivered`; its `note` then says why. */
  delivered?: DrivenRun['delivered']
}

/** A run that agents do. A loop that is left early interrupts it; it continues with `drive({ run })`. */
export type DriveRun = AsyncIterable<DriveRecord> & {
  /** Rejects with a {@link DroverError} if the run cannot be started or driven. */
  readonly result: Promise<DriveResult>
  /** Interrupts it. */
  cancel(): void
}

/** What became of the work of a run. */
export type ActResult = {
  /** The last round of the run. */
  run_id: string
  /** Its word is `merged`, `discarded` or `delivered`. */
  verdict: RunVerdict
}

/** The sessions of the user. */
export type Sessions = {
  /** Last used first. */
  list(query?: SessionQuery): Promise<SessionPage>
  /** By its id, or a unique beginning of it. */
  get(id: string): Promise<Session>
  /** The turns that are kept, oldest first. `executions.keep` of the config decides what is kept. */
  turns(id: string): Promise<readonly SessionTurn[]>
  /** Changes the title, the tags or the metadata, or shares the session. */
  edit(id: string, change: SessionChange): Promise<Session>
  /** Returns the full id. */
  delete(id: string): Promise<string>
}

/** Options of the calls that follow events. */
export type FollowOptions = CallOptions & {
  /** Only events with a greater number: the `seq` of the last one that you have. */
  after?: number | undefined
}

/** The executions of the user: every prompt and every batch, of this program and of other processes. */
export type UserExecutions = {
  /** Newest first, without prompts and results. */
  list(query?: ExecutionQuery): Promise<ExecutionPage>
  /** By its id, or a unique beginning of it. Its `result` is there when it has ended. */
  get(id: string): Promise<Execution>
  /** The events that are stored, then live ones, until it ends. It does not end when the loop is left. */
  follow(id: string, options?: FollowOptions): AsyncGenerator<ExecutionEvent, void, undefined>
  /** Ends its agent, wherever it runs. Returns it as it was. */
  cancel(id: string): Promise<Execution>
}

/** A single run has more than one of a list. */
export type DrivenRunDetail = DrivenRun & {
  [Name in 'attempts' | 'findings' | 'report']: NonNullable<DrivenRun[Name]>
}

/** The driven runs of the user, in all repositories: of this program and of other processes. */
export type UserRuns = {
  /** Newest first. */
  list(query?: RunQuery): Promise<DrivenRunPage>
  /** By its id, or a unique beginning of it: with its attempts, their checks and evidence, and its report. */
  get(id: string): Promise<DrivenRunDetail>
  /** What its branch changes. */
  diff(id: string, query?: DiffQuery): Promise<DrivenDiff>
  /** What became of the runs of the last 24 hours, by repository. */
  report(query?: ReportQuery): Promise<NightReports>
  /** The events that are stored, then live ones, until it rests for good. It is not interrupted when the loop is left. */
  follow(id: string, options?: FollowOptions): AsyncGenerator<DrivenRunEvent, void, undefined>
  /** Answers its question. If no process drives it, this program does so from here on, until `close()`. */
  answer(id: string, answer: RunAnswer): Promise<DrivenRun>
  /** Stops it, wherever it is driven. */
  stop(id: string): Promise<DrivenRun>
}

/** Options of {@link Drover.serve}. */
export type ServeOptions = {
  /** The default is `server.host` of the config: loopback only. */
  host?: string | undefined
  /** The default is `server.port` of the config; 0: any free port. */
  port?: number | undefined
  /** Gets the lines of the log of the server. By default they are not shown. */
  onLog?: ((line: LogLine) => void) | undefined
}

/** A line of the log of the server. */
export type LogLine = {
  /** How much it matters. */
  level: 'info' | 'warn' | 'error'
  /** What happened. */
  message: string
  /** Facts about it. */
  fields: Readonly<Record<string, unknown>>
}

/** A server that runs. */
export type RunningServer = {
  /** Its address: `http://127.0.0.1:8080`. */
  readonly url: string
  /** Refuses new requests, lets running ones finish for a moment, and ends. */
  close(): Promise<void>
}

/** Runs prompts on the coding agents of this machine. */
export type Drover = AsyncDisposable & {
  /** Runs a prompt on one agent. A text is a request with this `prompt`. */
  prompt(request: string | PromptRequest, options?: PromptOptions): PromptRun
  /** Runs several prompts at once. A failed one has `error` in its result; the promise does not reject. */
  parallel(request: ParallelRequest, options?: BatchOptions): Promise<ParallelResult>
  /** Runs prompts one after another, which may contain earlier answers. */
  chain(request: ChainRequest, options?: BatchOptions): Promise<ChainResult>
  /** Runs one prompt on several agents. */
  compare(request: CompareRequest, options?: BatchOptions): Promise<ComparisonResult>
  /** Keeps the work of one agent of the last comparison in worktrees as a branch, and drops the others. */
  keep(request: KeepRequest, options?: CallOptions): Promise<KeepResult>
  /** Tells the agent of a running execution something: of this program or of another process of the user. */
  say(executionId: string, text: string): Promise<MessageSent>
  /** The sessions of the user. */
  readonly sessions: Sessions
  /** The executions of the user. */
  readonly executions: UserExecutions
  /** The driven runs of the user. */
  readonly runs: UserRuns
  /** What was used of each budget. */
  budgets(): Promise<BudgetList>
  /** Lets agents do a change in a git repository, step by step. A text is a request with this `goal`. */
  drive(request: string | DriveRequest, options?: CallOptions): DriveRun
  /** Merges the work of a run, opens a pull request, discards it, or checks its branch out. */
  act(request: ActRequest, options?: CallOptions): Promise<ActResult>
  /** Starts the HTTP server, with the API keys of the config. */
  serve(options?: ServeOptions): Promise<RunningServer>
  /**
   * Ends what runs, and the agents that stay up, and closes the sessions. It may be called twice. Call it before
   * `process.exit()`: that stops the agents too, but the executions that run then are `lost`.
   */
  close(): Promise<void>
}
