/** Drover in this process: the one place that puts stores, agents and settings together. */
import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises'
import type { Program } from '../agents/adapter/agent.ts'
import { locateAgent } from '../agents/locate-agents.ts'
import type { WarmPool, WarmPoolOptions } from '../agents/pool/warm-pool.ts'
import type { Config } from '../config/config.shape.ts'
import { BackgroundRuns } from '../executions/background-runs.ts'
import { Executions } from '../executions/local-executions.ts'
import { awaitResult, replayEvents } from '../executions/replay.ts'
import { newExecutionId } from '../executions/store/execution-id.ts'
import { type KeepMode, resolveKeepMode } from '../executions/store/execution-states.ts'
import type { Stores } from '../executions/store/open-stores.ts'
import type { Clock } from '../kit/clock.ts'
import { Fault } from '../kit/fault.ts'
import { randomIds } from '../kit/ids.ts'
import { type Log, SILENT_LOG } from '../kit/log.ts'
import { atDepth } from '../kit/process/environment-variables.ts'
import type { Approvals } from '../prompts/approvals.ts'
import type { Caller } from '../prompts/caller.ts'
import { createSlots, type Slots } from '../prompts/concurrency-slots.ts'
import type { ExecutionOptions } from '../prompts/execution-recorder.ts'
import type { PrivateFiles } from '../prompts/private-files.ts'
import type { PromptContext, PromptObserver } from '../prompts/prompt-context.ts'
import type { PromptEvent } from '../prompts/prompt-event.ts'
import type { PromptRequest } from '../prompts/prompt-request.ts'
import type { PromptResult } from '../prompts/prompt-result.ts'
import type { BatchRunOptions } from '../prompts/run-batch.ts'
import { runPrompt, runPromptToEnd } from '../prompts/run-prompt.ts'
import { createWorkdirPolicy, type WorkdirPolicy } from '../prompts/workdir-policy.ts'
import { type AgentDirectory, createAgentDirectory } from './agent-directory.ts'
import type { Comparisons } from './comparisons.ts'
import type { BatchStart, DroverService, Running, RunningBatch, StartOptions } from './drover-service.ts'
import { ExecutionCalls } from './execution-calls.ts'
import { SessionCalls } from './session-calls.ts'

export type DroverParts = {
  settings: Config
  env: PromptContext['env']
  /** The working directory of prompts that name none. */
  cwd: string
  isRoot: boolean
  clock: Clock
  /** The command of the demo agent, if it may replace agents that are not installed. */
  demo: Program | undefined
  /** Called when something is stored or read for the first time. */
  openStores(): Promise<Stores>
  /** What is stored of prompts if the settings leave it open. */
  keep: KeepMode
  /** How many agents run at once, and how many prompts wait for them. The default suits one user. */
  slots?: Slots
  /** Creates the pool of agents that stay up. Undefined: every prompt starts its agent. */
  createPool?: ((owner: WarmPoolOptions['owner']) => WarmPool) | undefined
  observer: PromptObserver
  /** What agents must not read under a ceiling. */
  privateFiles?: PrivateFiles | undefined
  /** The directory of the git worktrees that drover creates. */
  worktrees: string
  server?: ServerParts | undefined
}

/** What only a server has. */
type ServerParts = {
  log: Log
  approvals: Approvals
  /** With many machines: lets a worker run the prompts of clients. */
  createDispatch?: ((executions: Executions) => PromptContext['dispatch']) | undefined
  /** The command of the demo agent, for callers that ask for it. */
  demoAgent: Program
  /** Ends what runs in the background. */
  drainDeadline: AbortSignal
  /** False: other machines run the agents. */
  isWorker: boolean
}

/** How long a detached prompt waits for its session, and the same if a worker on another machine creates it. */
const SESSION_WAIT_MS = 200
const SHARED_SESSION_WAIT_MS = 1000

export class InProcessDrover implements Omit<DroverService, 'runs'>, AsyncDisposable {
  readonly agents: AgentDirectory
  readonly slots: Slots
  readonly warm: WarmPool | undefined
  readonly background: BackgroundRuns
  readonly executions: ExecutionCalls
  readonly sessions: SessionCalls
  readonly records: Executions
  readonly #parts: DroverParts
  readonly #shared: Omit<PromptContext, 'by' | 'longestRunMs'>
  readonly #forClients: Pick<PromptContext, 'workdirs' | 'longestRunMs' | 'firstEventTimeoutMs' | 'dispatch'>
  #stores: Promise<Stores> | undefined
  /** For commands of the user that a server does: they wait as long as in a separate process. */
  #slotsOfCommands: Slots | undefined
  #compared: Comparisons | undefined

  constructor(parts: DroverParts) {
    const { settings, env, cwd, isRoot, clock, server } = parts
    this.#parts = parts
    this.agents = createAgentDirectory({ env, cwd, backends: settings.backends, demo: parts.demo })
    this.slots = parts.slots ?? slotsOfUser(settings)
    this.background = new BackgroundRuns(server?.log ?? SILENT_LOG)
    this.records = new Executions({
      openStore: async () => (await this.stores()).executions,
      owner: () => this.#owner(),
      clock,
      ids: randomIds,
      keep: resolveKeepMode(settings.executions.keep, parts.keep),
      ...failureReports(server?.log),
    })
    this.warm = parts.createPool?.(() => this.#owner())
    this.#shared = {
      ...{ settings, env, cwd, isRoot, clock, slots: this.slots, warm: this.warm, observer: parts.observer },
      locate: (backend) => this.agents.find(backend),
      openStore: async () => (await this.stores()).sessions,
      isUnsafeExtraAllowed: settings.server.allow_unsafe_extra,
      privateFiles: parts.privateFiles,
      approvals: server?.approvals,
      executions: this.records,
    }
    this.#forClients = {
      workdirs: workdirsOfClients(settings),
      firstEventTimeoutMs: shortestMs([settings.server.first_event_timeout_secs]),
      longestRunMs: shortestMs([settings.server.request_timeout_secs, settings.unified_flags.command_timeout_secs]),
      dispatch: server?.createDispatch?.(this.records),
    }
    this.sessions = new SessionCalls(() => this.stores())
    this.executions = new ExecutionCalls({
      records: this.records,
      stores: () => this.stores(),
      approvals: server?.approvals,
      log: server?.log ?? SILENT_LOG,
    })
  }

  /** The working directory of prompts that name none. */
  get cwd(): string {
    return this.#parts.cwd
  }

  /** Opens them with the first call. */
  stores(): Promise<Stores> {
    this.#stores ??= this.#parts.openStores()
    return this.#stores
  }

  /** Also reports what happens to prompts from now on. */
  observe(observer: PromptObserver): void {
    Object.assign(this.#parts.observer, observer)
  }

  /** The context that the prompts of a caller run in. */
  contextFor(by: Caller): PromptContext {
    const context = { ...this.#shared, by }
    const nested = by.depth === undefined ? {} : { env: atDepth(this.#shared.env, by.depth) }
    if (by.is === 'client') return { ...context, ...this.#forClients, ...nested }
    const workdirs = by.isConfined === true ? this.#forClients.workdirs : undefined
    if (by.place === undefined) return { ...context, ...nested, workdirs, longestRunMs: null }
    const { env, cwd, isDemo } = by.place
    const { settings, server } = this.#parts
    const demo = isDemo ? server?.demoAgent : undefined
    const keep = resolveKeepMode(settings.executions.keep, 'none')
    this.#slotsOfCommands ??= slotsOfUser(settings)
    return {
      ...context,
      ...{ env, cwd, workdirs, slots: this.#slotsOfCommands, longestRunMs: null },
      locate: (backend) => locateAgent(backend, { env, cwd, backends: settings.backends, demo }),
      executions: { begin: (start) => this.records.begin({ keep, ...start }) },
    }
  }

  /** The same for the agents of a driven run, which has its own limits. It stays on this machine, and its executions are kept. */
  runContextFor(by: Caller): PromptContext {
    const { dispatch: _, firstEventTimeoutMs: _time, ...context } = this.contextFor(by)
    return { ...context, workdirs: undefined, longestRunMs: null, executions: this.records }
  }

  readonly prompts: DroverService['prompts'] = {
    start: (by, request, options) => this.#startPrompt(this.#startContext(by, options), request, options),
    resume: async (by, request, options) =>
      await this.prompts.start(by, await this.sessions.continuing(by, request), options),
  }

  /** A prompt that was started before, here or in another process. */
  async attach(by: Caller, named: string, signal: AbortSignal): Promise<Running<PromptResult>> {
    const { id } = await this.executions.find(by, named)
    return this.#follow(
      id,
      signal,
      () => awaitResult(id, { executions: this.records }, signal) as Promise<PromptResult>,
    )
  }

  /** The same for a batch. */
  async attachBatch(by: Caller, named: string, signal: AbortSignal): Promise<RunningBatch<object>> {
    const { id } = await this.executions.find(by, named)
    return { id, result: () => awaitResult(id, { executions: this.records }, signal) }
  }

  readonly batches: DroverService['batches'] = {
    parallel: async (by, request, options) => {
      const { runParallel } = await import('../prompts/run-parallel.ts')
      return await this.#startBatch(options, (batch) => runParallel(request, this.#startContext(by, options), batch))
    },
    chain: async (by, request, options) => {
      const { runChain } = await import('../prompts/run-chain.ts')
      return await this.#startBatch(options, (batch) => runChain(request, this.#startContext(by, options), batch))
    },
    compare: async (by, request, options) => {
      const comparisons = await this.#comparisons()
      return await this.#startBatch(options, (batch) =>
        comparisons.run(request, this.#startContext(by, options), batch),
      )
    },
    keep: async (by, request, signal) => await (await this.#comparisons()).keep(request, this.contextFor(by), signal),
  }

  async #comparisons(): Promise<Comparisons> {
    const { settings, worktrees, server } = this.#parts
    const { Comparisons } = await import('./comparisons.ts')
    this.#compared ??= new Comparisons({ settings, worktrees, isWorker: server?.isWorker !== false })
    return this.#compared
  }

  /** Ends the agents that stay up, and stores what is left to store. */
  async [Symbol.asyncDispose](): Promise<void> {
    await this.warm?.close()
    await this.records.close()
    const stores = await this.#stores?.catch(() => undefined)
    // The prompt has already warned about a turn that cannot be saved.
    await stores?.sessions.close().catch(ignoreFault)
  }

  async #owner(): Promise<string> {
    return await (await this.stores()).sessions.owner()
  }

  #startContext(by: Caller, { isCold = false }: { isCold?: boolean }): PromptContext {
    const context = this.contextFor(by)
    return isCold ? { ...context, warm: undefined } : context
  }

  async #startPrompt(
    context: PromptContext,
    request: PromptRequest,
    { signal, isInBackground = false, isDetached = false, settle, onLine, onApproval, ...known }: StartOptions,
  ): Promise<Running<PromptResult>> {
    const id = known.id ?? newExecutionId(randomIds)
    const execution: ExecutionOptions = { ...known, id, isInBackground }
    if (!isInBackground) {
      const options = { signal, execution, ...(onLine !== undefined && { onLine }), onApproval }
      return {
        id,
        events: () => runPrompt(request, context, options),
        result: (onEvent) =>
          runPromptToEnd(request, context, { ...options, ...(onEvent !== undefined && { onEvent }) }),
      }
    }
    const [begun, opened] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
    const onBegin: ExecutionOptions['onBegin'] = (begins) => {
      known.onBegin?.(begins)
      begun.resolve()
    }
    const work = runPromptToEnd(request, context, {
      signal: this.#untilDrained(),
      execution: { ...execution, onBegin, onSession: () => opened.resolve() },
    })
    const result = this.background.add(settle?.(work) ?? work)
    // With a queue it is stored only now, and then it can be followed.
    await Promise.race([result, begun.promise])
    if (isDetached) {
      const waitMs = context.dispatch === undefined ? SESSION_WAIT_MS : SHARED_SESSION_WAIT_MS
      await Promise.race([result, opened.promise, sleep(waitMs, undefined, { ref: false })])
    }
    return this.#follow(id, signal, () => result)
  }

  async #startBatch<R extends object>(
    { signal, isInBackground = false, settle, id, onBegin, ...options }: BatchStart,
    run: (options: BatchRunOptions) => Promise<R>,
  ): Promise<RunningBatch<R>> {
    const execution = { id: id ?? newExecutionId(randomIds), ...(onBegin !== undefined && { onBegin }) }
    if (!isInBackground) return { id: execution.id, result: () => run({ ...options, signal, execution }) }
    const work = run({ ...options, signal: this.#untilDrained(), execution })
    const result = this.background.add(settle?.(work) ?? work)
    // A batch that cannot be run is refused at once.
    await Promise.race([result, nextTurn()])
    return { id: execution.id, result: () => result }
  }

  /** A signal for one prompt, because listeners are added to it. */
  #untilDrained(): AbortSignal {
    const { server } = this.#parts
    return AbortSignal.any(server === undefined ? [] : [server.drainDeadline])
  }

  /** The events and the result of something that runs without its caller, or has ended. */
  #follow(id: string, signal: AbortSignal, result: () => Promise<PromptResult>): Running<PromptResult> {
    const events = async function* (this: InProcessDrover) {
      const { executions: executionStore } = await this.stores()
      return yield* replayEvents(id, { executions: this.records, executionStore }, { signal, result })
    }.bind(this)
    return {
      id,
      events,
      result: async (onEvent) => (onEvent === undefined ? await result() : await readAll(events(), onEvent)),
    }
  }
}

async function readAll<R>(
  events: AsyncGenerator<PromptEvent, R, undefined>,
  onEvent: (event: PromptEvent) => unknown,
): Promise<R> {
  let next = await events.next()
  for (; next.done !== true; next = await events.next()) onEvent(next.value)
  return next.value
}

/** The agents of one user. Everything else waits. */
export function slotsOfUser({ server }: Config, atOnce = 1): Slots {
  return createSlots({ limit: Math.max(server.max_concurrent_runs, atOnce), queueLimit: Number.POSITIVE_INFINITY })
}

function workdirsOfClients({ server }: Config): WorkdirPolicy {
  return createWorkdirPolicy({ allowed: server.allowed_workdir_prefixes, blocked: server.blocked_workdir_prefixes })
}

/** The result of a prompt has a warning about what could not be saved. For clients, the reason stays in the log: it may name a file. */
function failureReports(log: Log | undefined) {
  if (log !== undefined) {
    return {
      onFailure: (error: unknown) => log.error({ reason: String(error) }, 'executions could not be saved'),
      toWarning: () => 'the execution could not be saved; the server log has the reason',
    }
  }
  return {
    onFailure: () => {},
    toWarning: (error: unknown) =>
      `the execution could not be saved: ${error instanceof Error ? error.message : error}`,
  }
}

/** 0 means no limit. */
function shortestMs(seconds: readonly number[]): number | null {
  const limits = seconds.filter((limit) => limit > 0)
  return limits.length === 0 ? null : Math.min(...limits) * 1000
}

function ignoreFault(error: unknown): void {
  if (!(error instanceof Fault)) throw error
}
