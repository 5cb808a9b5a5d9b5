import type { Program } from '../agents/adapter/agent.ts'
import type { WarmPool, WarmPoolOptions } from '../agents/pool/warm-pool.ts'
import type { Config } from '../config/config.shape.ts'
import { BackgroundRuns } from '../executions/background-runs.ts'
import { Executions, type ExecutionsOptions } from '../executions/local-executions.ts'
import { awaitResult } from '../executions/replay.ts'
import type { Execution } from '../executions/store/execution.shape.ts'
import { isFinal, type KeepMode, resolveKeepMode } from '../executions/store/execution-states.ts'
import type { Stores } from '../executions/store/stores.ts'
import type { Clock } from '../kit/clock.ts'
import { ignoreFault, isFault } from '../kit/fault.ts'
import { randomIds } from '../kit/ids.ts'
import { type Log, SILENT_LOG } from '../kit/log.ts'
import type { Approvals } from '../prompts/approvals.ts'
import { type Caller, ownerKey } from '../prompts/caller.ts'
import type { Slots } from '../prompts/concurrency-slots.ts'
import { toolResultMissing } from '../prompts/faults.ts'
import { executionOfCall } from '../prompts/function-calls.ts'
import type { PrivateFiles } from '../prompts/private-files.ts'
import type { PromptContext, PromptObserver, PromptTelemetry, SandboxParts } from '../prompts/prompt-context.ts'
import type { PartResult, PromptResult } from '../prompts/prompt-result.ts'
import { digestTexts, offerOf, type ToolTurns } from '../prompts/tool-turns.ts'
import type { MachineSandbox } from '../sandbox/machine/machine-sandbox.ts'
import type { Telemetry } from '../telemetry/telemetry.ts'
import type { Administration } from './administration.ts'
import { type AgentDirectory, createAgentDirectory } from './agent-directory.ts'
import type { Comparisons } from './comparisons.ts'
import type { AnswerOptions, DroverService, Running, RunningBatch, ToolAnswer } from './drover-service.ts'
import { ExecutionCalls } from './execution-calls.ts'
import type { BudgetKey } from './list-budgets.ts'
import { PromptContexts, slotsOfUser } from './prompt-contexts.ts'
import { SessionCalls } from './session-calls.ts'
import type { ComparedParts, ComparedWork } from './show-comparison.ts'
import { WorkStarter } from './work-starter.ts'

export type DroverParts = {
  settings: Config
  env: PromptContext['env']
  /** The working directory of prompts that name none. */
  cwd: string
  isRoot: boolean
  clock: Clock
  sandbox: SandboxParts
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
  version(): string
  /** What agents must not read under a ceiling. */
  privateFiles?: PrivateFiles | undefined
  /** The directory of the git worktrees that drover creates. */
  worktrees: string
  /** What setups have installed for them. */
  templates: string
  /** How worktrees of each repository are prepared and checked. */
  projects: string
  /** The keys, and entries of the setting `budgets`, that are valid now. The default is those in the settings. */
  keys?: (() => readonly BudgetKey[]) | undefined
  budgets?: () => Config['budgets']
  /** The sandbox of this machine. Undefined: nothing runs in one. */
  findMachineSandbox?: (() => Promise<MachineSandbox>) | undefined
  server?: ServerParts | undefined
}

/** What only a server has. */
type ServerParts = {
  log: Log
  approvals: Approvals
  /** Undefined: this process runs no agents. */
  toolTurns?: ToolTurns | undefined
  /** With many machines: lets a worker run the prompts of clients. */
  createDispatch?: ((executions: Executions) => PromptContext['dispatch']) | undefined
  /** The command of the demo agent, for callers that ask for it. */
  demoAgent: Program
  /** Ends what runs in the background. */
  drainDeadline: AbortSignal
  /** False: other machines run the agents. */
  isWorker: boolean
}

export class InProcessDrover
  implements Omit<DroverService, 'runs' | 'watchers' | keyof Administration>, AsyncDisposable
{
  readonly agents: AgentDirectory
  readonly slots: Slots
  readonly warm: WarmPool | undefined
  readonly background: BackgroundRuns
  readonly executions: ExecutionCalls
  readonly sessions: SessionCalls
  readonly records: Executions
  /** Undefined: telemetry is off. */
  readonly telemetry: PromptTelemetry | undefined
  readonly #parts: DroverParts
  readonly #contexts: PromptContexts
  readonly #starter: WorkStarter
  #stores: Promise<Stores> | undefined
  #telemetry: Promise<Telemetry> | undefined
  #compares: Comparisons | undefined
  #machineSandbox: Promise<MachineSandbox> | undefined

  constructor(parts: DroverParts) {
    const { settings, env, cwd, isRoot, clock, sandbox, server } = parts
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
      takeResults: takeResults(server?.toolTurns),
    })
    this.telemetry = this.#findTelemetry()
    this.warm = parts.createPool?.(() => this.#owner())
    this.#contexts = new PromptContexts({
      ...{ settings, budgets: parts.budgets, records: this.records, demoAgent: server?.demoAgent },
      shared: {
        ...{ env, cwd, isRoot, clock, sandbox, slots: this.slots, warm: this.warm, observer: parts.observer },
        ...{ locate: this.agents.find, askVersion: this.agents.askVersion },
        openStore: async () => (await this.stores()).sessions,
        privateFiles: parts.privateFiles,
        telemetry: this.telemetry,
        approvals: server?.approvals,
        toolTurns: server?.toolTurns,
        ending: server?.drainDeadline,
      },
      dispatch: server?.createDispatch?.(this.records),
      openBudgets: async () => (await this.stores()).budgets,
    })
    const { records, background } = this
    const stores = () => this.stores()
    this.#starter = new WorkStarter({ records, stores, background, drainDeadline: server?.drainDeadline })
    this.sessions = new SessionCalls(() => this.stores(), cwd)
    this.executions = new ExecutionCalls({
      records: this.records,
      stores: () => this.stores(),
      approvals: server?.approvals,
      clock,
      log: server?.log ?? SILENT_LOG,
    })
  }

  /** Whether a turn has made the call, and waits for its result. One of this process may have got it lately. */
  async knowsCall(by: Caller, callId: string): Promise<boolean> {
    if (this.#toolTurns?.find(callId) !== undefined) return true
    const execution = await this.#findWaiting(by, callId)
    return execution !== undefined && (await this.records.waitsFor(execution, callId))
  }

  get #toolTurns(): ToolTurns | undefined {
    return this.#parts.server?.toolTurns
  }

  /** The execution that has made the call. Whether another key has it is not revealed. */
  async #findWaiting(by: Caller, callId: string): Promise<Execution | undefined> {
    const turn = this.#toolTurns?.find(callId)
    const id = turn?.executionId ?? executionOfCall(callId)
    const execution = id === undefined ? undefined : await this.executions.find(by, id).catch(ignoreFault)
    if (execution?.key_id !== ownerKey(by)?.id) return undefined
    // One of this process may have ended: its client has lost the connection, and sends the same again.
    return execution === undefined || (turn === undefined && isFinal(execution.state)) ? undefined : execution
  }

  /** How many turns of this process wait for results of functions of their clients. */
  get waitingTurns(): number {
    return this.#toolTurns?.waiting ?? 0
  }

  /** The working directory of prompts that name none. */
  get cwd(): string {
    return this.#parts.cwd
  }

  /** Finds it with the first call: a prompt does without it. */
  async machineSandbox(): Promise<MachineSandbox | undefined> {
    this.#machineSandbox ??= this.#parts.findMachineSandbox?.()
    return await this.#machineSandbox
  }

  readonly budgets: DroverService['budgets'] = {
    list: async (by) => {
      const { keysOf, listBudgets } = await import('./list-budgets.ts')
      const { settings, clock, keys = () => keysOf(settings, clock.now()), budgets } = this.#parts
      const known = { entries: budgets?.() ?? settings.budgets, keys: keys() }
      return await listBudgets(by, known, async () => (await this.stores()).budgets)
    },
  }

  readonly machines: DroverService['machines'] = {
    list: async (by) => (await this.#manageMachines()).list(by),
    drain: async (by, name) => (await this.#manageMachines()).drain(by, name),
    forget: async (by, name) => (await this.#manageMachines()).forget(by, name),
  }

  async #manageMachines(): Promise<DroverService['machines']> {
    const { manageMachines } = await import('./administration.ts')
    return manageMachines(() => this.stores())
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
    return this.#contexts.for(by)
  }

  /** The same for the agents of a driven run. */
  runContextFor(by: Caller): PromptContext {
    return this.#contexts.forRun(by)
  }

  readonly prompts: DroverService['prompts'] = {
    start: (by, request, options) => this.#starter.prompt(this.#startContext(by, options), request, options),
    resume: async (by, request, options) =>
      await this.prompts.start(by, await this.sessions.continuing(by, request), options),
  }

  async answerCalls(
    by: Caller,
    { callId, said, request, ...given }: ToolAnswer,
    { signal, isInBackground = false }: AnswerOptions,
  ): Promise<Running<PartResult> | undefined> {
    const execution = await this.#findWaiting(by, callId)
    if (execution === undefined) return undefined
    const { id, last_seq: lastSeq } = execution
    const asked = { callId, said: said && digestTexts(said), offer: offerOf(request) }
    const isHere = this.#toolTurns?.find(callId) !== undefined
    const taken = isHere
      ? this.#toolTurns?.continue(asked, given, lastSeq)
      : await this.records.sendResults(execution, given, asked)
    if (taken === undefined || 'waits' in taken) return undefined
    if ('missing' in taken) throw toolResultMissing({ id: taken.missing })
    // From now on, because an execution that is not kept is gone as soon as it has ended.
    const ended = awaitResult(id, { executions: this.records }, signal) as Promise<PromptResult>
    ended.catch(() => {})
    return this.#starter.segment({ id, signal, isInBackground, ...taken }, () => ended)
  }

  readonly backends: DroverService['backends'] = {
    test: async (by, backend, options) => {
      const { testBackend } = await import('./test-backend.ts')
      return await testBackend(this.prompts, { by, backend }, options)
    },
  }

  async attach(by: Caller, named: string, signal: AbortSignal): Promise<Running<PromptResult>> {
    const { id } = await this.executions.find(by, named)
    const result = () => awaitResult(id, { executions: this.records }, signal) as Promise<PromptResult>
    return this.#starter.follow(id, signal, result)
  }

  async attachBatch(by: Caller, named: string, signal: AbortSignal): Promise<RunningBatch<object>> {
    const { id } = await this.executions.find(by, named)
    return { id, result: () => awaitResult(id, { executions: this.records }, signal) }
  }

  readonly batches: DroverService['batches'] = {
    parallel: async (by, request, options) => {
      const { runParallel } = await import('../prompts/run-parallel.ts')
      return await this.#starter.batch(options, (batch) => runParallel(request, this.#startContext(by, options), batch))
    },
    chain: async (by, request, options) => {
      const { runChain } = await import('../prompts/run-chain.ts')
      return await this.#starter.batch(options, (batch) => runChain(request, this.#startContext(by, options), batch))
    },
    compare: async (by, request, options) => {
      const comparisons = await this.#comparisons()
      return await this.#starter.batch(options, (batch) =>
        comparisons.run(request, this.#startContext(by, options), batch),
      )
    },
    keep: async (by, request, signal) => await (await this.#comparisons()).keep(request, this.contextFor(by), signal),
    comparisons: async (by, slice, signal) =>
      (await import('./list-comparisons.ts')).listComparisons(this.#comparedParts(by, signal), slice),
    comparison: async (by, id, signal) => (await openCompared(this.#comparedParts(by, signal))).show(id),
    diff: async (by, wanted, signal) => (await openCompared(this.#comparedParts(by, signal))).diff(wanted),
  }

  #comparedParts(by: Caller, signal: AbortSignal): ComparedParts {
    const { worktrees, env, cwd } = this.#parts
    return { executions: this.executions, by, worktrees, env, cwd, signal }
  }

  async #comparisons(): Promise<Comparisons> {
    const { settings, worktrees, templates, projects, server, keep } = this.#parts
    const { Comparisons } = await import('./comparisons.ts')
    this.#compares ??= new Comparisons({
      ...{ settings, worktrees, templates, projects, keep },
      sandbox: await this.machineSandbox(),
      executions: this.executions,
      isWorker: server?.isWorker !== false,
    })
    return this.#compares
  }

  /** Ends the agents that stay up, and stores what is left to store. */
  async [Symbol.asyncDispose](): Promise<void> {
    await this.warm?.close()
    await this.records.close()
    await this.closeTelemetry()
    const stores = await this.#stores?.catch(() => undefined)
    // The prompt has already warned about a turn that cannot be saved.
    await stores?.sessions.close().catch(ignoreFault)
  }

  /** Sends what waits, for a limited time. */
  async closeTelemetry(): Promise<void> {
    await (await this.#telemetry)?.close()
  }

  #findTelemetry(): PromptTelemetry | undefined {
    const { settings, env, server } = this.#parts
    const variables = ['ENDPOINT', 'TRACES_ENDPOINT', 'METRICS_ENDPOINT'].map(
      (name) => env[`OTEL_EXPORTER_OTLP_${name}`],
    )
    const isOn = [settings.telemetry.otlp_endpoint, ...variables].some((address = '') => address !== '')
    if (!isOn || env['OTEL_SDK_DISABLED'] === 'true') return undefined
    return {
      open: () => {
        this.#telemetry ??= this.#openTelemetry()
        return this.#telemetry
      },
      versionOf: (backend) => {
        // The list asks all agents for their versions, for which a command has no time.
        if (server !== undefined) this.agents.list()
        const agent = this.agents.find(backend)
        return agent && this.agents.knownVersion(agent)
      },
    }
  }

  async #openTelemetry(): Promise<Telemetry> {
    const { openTelemetry } = await import('../telemetry/open-telemetry.ts')
    const { settings, env, server, version } = this.#parts
    const { otlp_endpoint: endpoint, contents: hasContents } = settings.telemetry
    const log = server?.log ?? SILENT_LOG
    return openTelemetry({ endpoint, hasContents, env, version: version(), log, isCommand: server === undefined })
  }

  async #owner(): Promise<string> {
    return await (await this.stores()).sessions.owner()
  }

  #startContext(by: Caller, { isCold = false }: { isCold?: boolean }): PromptContext {
    const context = this.contextFor(by)
    return isCold ? { ...context, warm: undefined } : context
  }
}

async function openCompared(parts: ComparedParts): Promise<ComparedWork> {
  const { ComparedWork } = await import('./show-comparison.ts')
  return new ComparedWork(parts)
}

/** Results that another process got. */
function takeResults(turns: ToolTurns | undefined): NonNullable<ExecutionsOptions['takeResults']> {
  return (asked, given, lastSeq) => {
    try {
      if (given !== undefined) return turns?.continue(asked, given, lastSeq)
      return turns?.find(asked.callId) && { waits: true }
    } catch (error) {
      if (isFault(error, toolResultMissing)) return { missing: error.details.id }
      throw error
    }
  }
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
