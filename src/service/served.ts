/** Drover in a server or a worker: it runs prompts in the background, drives runs, and shares work with other machines. */
import { setTimeout as sleep } from 'node:timers/promises'
import type { Program } from '../agents/adapter/agent.ts'
import type { AgentLocation } from '../agents/locate-agents.ts'
import { toWarmLimits } from '../agents/pool/pool-rules.ts'
import { WarmPool, type WarmPoolOptions } from '../agents/pool/warm-pool.ts'
import type { Config } from '../config/config.shape.ts'
import { LiveBudgets } from '../config/live-budgets.ts'
import { type Paths, secretFilesIn } from '../config/paths.ts'
import { settingsForClients } from '../config/projects/projects.ts'
import { DrivenRuns } from '../drive/service/driven-runs.ts'
import type { RunService } from '../drive/service/run-service.ts'
import type { Rights } from '../drive/service/run-starter.ts'
import { SharedRuns } from '../drive/service/shared-runs.ts'
import { createDispatch } from '../executions/dispatch-prompts.ts'
import type { Executions } from '../executions/local-executions.ts'
import { resolveKeepMode } from '../executions/store/execution-states.ts'
import { shareApprovals } from '../executions/store/published-approvals.ts'
import type { Loss, Stores } from '../executions/store/stores.ts'
import { Worker } from '../executions/worker.ts'
import type { Clock } from '../kit/clock.ts'
import { randomIds } from '../kit/ids.ts'
import type { Log } from '../kit/log.ts'
import type { Sight } from '../notify/push-targets.ts'
import { Approvals } from '../prompts/approvals.ts'
import { type Caller, USER, visibleKeyId } from '../prompts/caller.ts'
import { createSlots } from '../prompts/concurrency-slots.ts'
import type { PrivateFiles } from '../prompts/private-files.ts'
import { ToolTurns } from '../prompts/tool-turns.ts'
import type { MachineSandbox } from '../sandbox/machine/machine-sandbox.ts'
import type { Watchers } from '../watch/watchers.ts'
import { type Administration, administer, type SettingsSource } from './administration.ts'
import { Announcements } from './announcements.ts'
import type { DroverService } from './drover-service.ts'
import { serverNeedsSandbox } from './faults.ts'
import { type DroverParts, InProcessDrover } from './in-process.ts'

export type ServedParts = {
  config: Config
  version: string
  env: Readonly<Record<string, string | undefined>>
  cwd: string
  isRoot: boolean
  clock: Clock
  sandbox: DroverParts['sandbox']
  /** The command of the demo agent, if it may replace agents that are not installed. */
  demo: Program | undefined
  /** The same for runs and prompts that ask for it. */
  demoAgent: Program
  stores: Stores
  /** Where the worktrees, the list of driven runs and the decisions about settings of projects are. */
  directories: Pick<
    Paths,
    'worktrees' | 'templates' | 'projects' | 'drivenRuns' | 'trustedSettings' | 'agentLimits' | 'watch' | 'pushKey'
  >
  /** The sandbox of this machine. Undefined: nothing runs in one. */
  machineSandbox?: MachineSandbox | undefined
  /** What agents must not read under a ceiling. */
  privateFiles: PrivateFiles
  /** Aborted when the server starts to shut down: driven runs are interrupted. */
  shutdown: AbortSignal
  /** Aborted when the time to finish is over: queued and running prompts are canceled. */
  drainDeadline: AbortSignal
  log: Log
  /** Whether this process runs prompts, if the store has a queue. */
  isWorker?: boolean
  rights: Rights
  keys?: DroverParts['keys']
  /** Where the settings come from. */
  source: SettingsSource
  /** What the owner of a browser that is notified may see. Undefined: no browser is. */
  sightOf?: ((as: string) => Sight) | undefined
  /** Who the user of this machine is on another one. Undefined: no one. */
  userElsewhere: Caller | undefined
}

const ASK_AGAIN_MS = 1000

const LOSSES: Readonly<Record<Loss, string>> = {
  taken: 'other machines took this process for dead, so what ran here is stopped',
  silent: 'the store does not answer, so what ran here is stopped: other machines may take over',
}

export class ServedDrover extends InProcessDrover implements DroverService {
  readonly runs: RunService
  /** Those of this machine. */
  readonly ownRuns: RunService
  readonly opened: Stores
  /** Runs the prompts that wait in the queue of many machines. Undefined: there is no queue, or this process runs none. */
  readonly worker: Worker | undefined
  readonly #parts: ServedParts
  #opened: Promise<Watchers> | undefined
  readonly #administration: Administration
  readonly #budgets: LiveBudgets
  readonly announcements: Announcements

  constructor(parts: ServedParts) {
    const { config, stores, env, cwd, isRoot, clock, sandbox, demo, demoAgent, drainDeadline, log } = parts
    const approvals = new Approvals({ timeoutMs: config.warm.approval_timeout_secs * 1000, clock })
    const toolTurns = new ToolTurns({
      timeoutMs: config.server.tool_wait_secs * 1000,
      limit: config.server.max_waiting_turns,
    })
    const { max_concurrent_runs: limit, max_queued_runs: queueLimit } = config.server
    const { file, readBudgets } = parts.source
    const budgets = new LiveBudgets(config.budgets, { path: file.path, read: readBudgets })
    super({
      budgets: () => budgets.entries,
      settings: config,
      // A copy, because every read of `process.env` is a system call.
      ...{ env: { ...env }, cwd, isRoot, clock, sandbox, demo },
      privateFiles: withSecrets(parts.privateFiles, config),
      worktrees: parts.directories.worktrees,
      templates: parts.directories.templates,
      projects: parts.directories.projects,
      keys: parts.keys,
      findMachineSandbox: parts.machineSandbox && (async () => parts.machineSandbox as MachineSandbox),
      openStores: async () => stores,
      keep: 'events',
      version: () => parts.version,
      slots: createSlots({ limit, queueLimit }),
      createPool: config.warm.enabled ? (owner) => createPool(config, owner, log) : undefined,
      observer: {
        sessionFailed: (error) => log.error({ reason: String(error) }, 'a session could not be saved'),
        sessionLeft: (message) => log.warn({}, message),
      },
      server: {
        ...{ log, approvals, demoAgent, drainDeadline },
        toolTurns,
        isWorker: stores.queue === undefined || parts.isWorker !== false,
        createDispatch: (executions) => createDispatcher(parts, executions),
      },
    })
    this.#parts = parts
    this.#budgets = budgets
    this.#administration = administer({ ...parts, validKeys: parts.keys, budgets: () => budgets.entries })
    this.opened = stores
    const { shutdown } = parts
    shutdown.addEventListener('abort', () => toolTurns.close(), { once: true })
    this.announcements = new Announcements({
      ...{ config, stores, approvals, env, cwd, clock, log, shutdown },
      ...{ pushKey: parts.directories.pushKey, sightOf: parts.sightOf },
      listBudgets: () => this.budgets.list(USER),
    })
    const { approvals: board, executions: store } = stores
    if (board !== undefined) shareApprovals({ approvals, board, store, log })
    const local = this.#createRuns()
    this.ownRuns = local
    this.runs = this.#shareRuns(local)
    this.worker = parts.isWorker === false ? undefined : this.#createWorker()
    if (this.worker !== undefined) toolTurns.onChange = this.worker.noteFacts
  }

  /** Throws a Fault if no agent may run without a boundary, and there is none. A key that requires one is refused then. */
  async trySandbox(): Promise<void> {
    const { config, isWorker = true, log } = this.#parts
    const { mode } = config.sandbox
    const isUsed = mode !== 'off' || config.server.keys.some((key) => key.requires_sandbox === true)
    if (!isWorker || !isUsed) return
    const { machineSandbox: sandbox } = this.#parts
    const problem = sandbox === undefined ? 'this process has none' : await sandbox.problem()
    if (problem === undefined) return
    if (mode === 'required') throw serverNeedsSandbox({ problem })
    log.warn({ problem }, 'prompts that require a sandbox are refused')
  }

  /** Resumes the runs that it drove when it ended, and takes work. Call it when the server listens: rights depend on its address. */
  async begin(): Promise<void> {
    this.#budgets.watch(this.#parts.log, this.#parts.shutdown)
    if (this.announcements.hasTargets) void this.background.add(this.announcements.run())
    await this.runs.continueAll()
    await this.worker?.start((by) => this.contextFor(by))
    const { config, isWorker } = this.#parts
    if (isWorker !== false && config.drive.watch.length > 0) await (await this.#openWatchers()).start()
  }

  /** Reads the budgets of the config file again. */
  async reloadBudgets(): Promise<void> {
    await this.#budgets.reload(this.#parts.log)
  }

  get keys(): DroverService['keys'] {
    return this.#administration.keys
  }

  get settings(): DroverService['settings'] {
    return this.#administration.settings
  }

  get repositories(): DroverService['repositories'] {
    return this.#administration.repositories
  }

  readonly watchers: DroverService['watchers'] = {
    list: async (by) => (visibleKeyId(by) === undefined ? await (await this.#openWatchers()).list() : []),
    poke: async (repo) => (await this.#openWatchers()).poke(repo),
  }

  /** Loads them with the first call: most servers watch nothing. */
  #openWatchers(): Promise<Watchers> {
    this.#opened ??= this.#createWatchers()
    return this.#opened
  }

  /** Other machines have taken over, or may have: what ran here is ended. Driven runs are resumed as after a restart. */
  lose(loss: Loss): void {
    const { log } = this.#parts
    log.error({}, LOSSES[loss])
    // First, so that drivers see an interruption and not agents that were cancelled.
    const restarted = this.runs.restart(() => this.#storeAnswers())
    this.records.giveUpOwned()
    restarted.catch((error: unknown) => log.error({ reason: String(error) }, 'driven runs could not be resumed'))
  }

  /** Resolves when something can be stored, or when the server stops. */
  async #storeAnswers(): Promise<void> {
    while (!this.#parts.shutdown.aborted) {
      try {
        return await this.opened.sessions.checkWritable()
      } catch {
        await sleep(ASK_AGAIN_MS, undefined, { ref: false })
      }
    }
  }

  #createRuns(): DrivenRuns {
    const { config, version, log, shutdown, directories, clock, rights } = this.#parts
    return new DrivenRuns({
      settings: config,
      settingsFor: ({ worktree_root: root, git_common_dir: repository }) =>
        settingsForClients(config, { home: directories.projects, repository, root }),
      ...{ directories, version, clock, log, shutdown, rights },
      projectTrust: { use: config.agents.project_settings, decisions: directories.trustedSettings },
      templates: { home: directories.templates, maxBytes: config.drive.template_max_bytes },
      agentLimits: directories.agentLimits,
      env: { ...this.#parts.env },
      cwd: this.#parts.cwd,
      isDemo: this.#parts.demo !== undefined,
      demoAgent: this.#parts.demoAgent,
      sandbox: this.#parts.machineSandbox,
      contextFor: (by) => this.runContextFor(by),
      announcing: this.announcements.hasTargets ? this.announcements : undefined,
      track: (drive) => void this.background.add(drive),
      onNoteFailure: ({ message }) => log.error({ reason: message }, 'a driven run could not be noted'),
    })
  }

  #shareRuns(local: DrivenRuns): RunService {
    const { config, directories, log, isWorker = true, clock, userElsewhere } = this.#parts
    const { runs, queue } = this.opened
    if (runs === undefined || queue === undefined) return local
    const keepDays = config.executions.keep_days
    const labelRules = config.work.required_labels
    const moving = { moveAfterSecs: config.drive.move_after_secs, directories }
    return new SharedRuns({
      local,
      ...runs,
      queue,
      isWorker,
      labelRules,
      userElsewhere,
      keepDays,
      ...moving,
      clock,
      log,
    })
  }

  async #createWatchers(): Promise<Watchers> {
    const { Watchers } = await import('../watch/watchers.ts')
    const { config, directories, clock, log, shutdown, env, cwd } = this.#parts
    return new Watchers({
      entries: config.drive.watch,
      settings: config.drive,
      publicUrl: config.server.public_url,
      runs: this.ownRuns,
      budgets: this.budgets,
      directory: directories.watch,
      places: { env: { ...env }, cwd },
      ...{ clock, log, signal: shutdown },
      track: (watcher) => void this.background.add(watcher),
    })
  }

  #createWorker(): Worker | undefined {
    const { queue, executions: store } = this.opened
    if (queue === undefined) return undefined
    const { config, drainDeadline: signal, log } = this.#parts
    const { repositories, labels, max_per_key: perKey, max_per_backend: perBackend } = config.work
    const facts = () => ({
      backends: this.agents
        .list()
        .filter(isUsable)
        .map(({ backend }) => backend),
      repositories,
      slots: this.slots.limit,
      lent: this.waitingTurns,
      labels,
      drive: { repositories: config.drive.repositories, checks: config.drive.checks },
    })
    return new Worker({ queue, store, executions: this.records, facts, limits: { perKey, perBackend }, signal, log })
  }
}

function withSecrets({ closed, open }: PrivateFiles, config: Config): PrivateFiles {
  return { closed: [...closed, ...secretFilesIn(config)], open }
}

function isUsable({ isEnabled, program }: AgentLocation): boolean {
  return isEnabled && program !== undefined
}

/** With one machine there is no queue: a prompt runs in the server that got it. */
function createDispatcher({ config, stores, clock, isWorker = true }: ServedParts, executions: Executions) {
  const { queue, sessions, executions: store } = stores
  if (queue === undefined) return undefined
  const keep = resolveKeepMode(config.executions.keep, 'events')
  const owner = () => sessions.owner()
  const queueLimit = config.server.max_queued_runs
  const { work } = config
  return createDispatch({
    ...{ queue, executions, store, owner, clock, ids: randomIds, keep, queueLimit, isWorker, work },
  })
}

function createPool({ warm }: Config, owner: WarmPoolOptions['owner'], log: Log): WarmPool {
  return new WarmPool({
    limits: toWarmLimits(warm),
    owner,
    onFailure: ({ backend, reason }) => log.warn({ backend, reason }, 'an agent cannot be kept running'),
  })
}
