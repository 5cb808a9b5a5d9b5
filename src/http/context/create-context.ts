import type { AgentLocation } from '../../agents/locate-agents.ts'
import { toWarmLimits } from '../../agents/pool/warm-limits.ts'
import { WarmPool } from '../../agents/pool/warm-pool.ts'
import type { KeyRing } from '../../config/api-keys.ts'
import type { Config } from '../../config/config.shape.ts'
import { DrivenRuns } from '../../drive/service/driven-runs.ts'
import type { RunService } from '../../drive/service/run-service.ts'
import { SharedRuns } from '../../drive/service/shared-runs.ts'
import { BackgroundRuns } from '../../executions/background-runs.ts'
import { createDispatch } from '../../executions/dispatch-prompts.ts'
import { Executions } from '../../executions/executions.ts'
import { StateFeed } from '../../executions/state-feed.ts'
import { shareApprovals } from '../../executions/store/approval-board.ts'
import { keepModeOf } from '../../executions/store/execution-states.ts'
import type { Stores } from '../../executions/store/open-stores.ts'
import { Worker } from '../../executions/worker.ts'
import { type Clock, systemClock } from '../../kit/clock.ts'
import { randomIds } from '../../kit/ids.ts'
import type { Log } from '../../kit/log.ts'
import { Approvals } from '../../prompts/approvals.ts'
import { createSlots } from '../../prompts/concurrency-slots.ts'
import type { PrivateFiles } from '../../prompts/private-files.ts'
import type { PromptContext } from '../../prompts/prompt-context.ts'
import { createWorkdirPolicy } from '../../prompts/workdir-policy.ts'
import { createAgentDirectory } from './agent-directory.ts'
import { CONSOLE_USER, Logins } from './logins.ts'
import type { ServerContext } from './server-context.ts'
import { WrongKeys } from './wrong-keys.ts'

/** What the program passes to the server at start-up. */
export type ServerInputs = {
  config: Config
  version: string
  env: Readonly<Record<string, string | undefined>>
  cwd: string
  isRoot: boolean
  /** The command of the demo agent, if it may replace agents that are not installed. */
  demo: readonly [string, ...string[]] | undefined
  /** The same for runs that were started with it. */
  demoAgent: readonly [string, ...string[]]
  clock?: Clock
  keys: KeyRing
  stores: Stores
  /** Where the worktrees, the list of driven runs and the decisions about settings of projects are. */
  directories: { worktrees: string; drivenRuns: string; trustedSettings: string }
  /** What agents must not read under a ceiling. */
  privateFiles: PrivateFiles
  shutdown: AbortSignal
  drainDeadline: AbortSignal
  log: Log
  writeAccessLog: ServerContext['writeAccessLog']
  logsPrompts: boolean
  jsonThread?: string | undefined
  consoleDirectory?: string
  /** Where logins to the console are stored. Undefined: they end with the server. */
  loginsFile?: string
  /** Whether this process runs prompts, if the store has a queue. */
  isWorker?: boolean
}

/** Proxies close connections that are silent for a minute, and some after half a minute. */
const HEARTBEAT_MS = 15_000

export function createContext(inputs: ServerInputs): ServerContext {
  const { config, version, keys, stores, shutdown, drainDeadline, log, writeAccessLog, logsPrompts } = inputs
  const clock = inputs.clock ?? systemClock
  const agents = createAgentDirectory({
    env: inputs.env,
    cwd: inputs.cwd,
    backends: config.backends,
    demo: inputs.demo,
  })
  const executions = new Executions({
    openStore: async () => stores.executions,
    owner: () => stores.sessions.owner(),
    clock,
    ids: randomIds,
    keep: keepModeOf(config.executions.keep, 'events'),
    onFailure: (error) => log.error({ reason: String(error) }, 'executions could not be saved'),
    // The reason may name a file of the server.
    toWarning: () => 'the execution could not be saved; the server log has the reason',
  })
  const approvals = new Approvals({ timeoutMs: config.warm.approval_timeout_secs * 1000, clock })
  const background = new BackgroundRuns(log)
  const { approvals: board, executions: store } = stores
  if (board !== undefined) shareApprovals({ approvals, board, store, log })
  const prompts = promptContext(inputs, { clock, agents, executions, approvals })
  return {
    config,
    version,
    startedAt: clock.now(),
    clock,
    ids: randomIds,
    keys,
    store: stores.sessions,
    executionStore: stores.executions,
    executions,
    stateFeed: new StateFeed({ executions, approvals, store: stores.executions, log }),
    background,
    runs: createRuns(inputs, { clock, background }),
    agents,
    prompts,
    queue: stores.queue,
    approvalBoard: board,
    rateLimits: stores.rateLimits,
    worker: inputs.isWorker === false ? undefined : createWorker(inputs, { agents, executions, prompts }),
    shutdown,
    drainDeadline,
    heartbeatMs: HEARTBEAT_MS,
    log,
    writeAccessLog,
    logsPrompts,
    jsonThread: inputs.jsonThread,
    consoleDirectory: inputs.consoleDirectory ?? '',
    logins: new Logins({ clock, ids: randomIds, keys, log, file: inputs.loginsFile }),
    wrongKeys: new WrongKeys({ log }),
    observer: {},
  }
}

function createRuns(
  inputs: ServerInputs,
  { clock, background }: Pick<ServerContext, 'clock' | 'background'>,
): RunService {
  const { config, version, log, shutdown, stores, isWorker = true } = inputs
  const local = new DrivenRuns({
    settings: config,
    directories: inputs.directories,
    projectTrust: { use: config.agents.project_settings, decisions: inputs.directories.trustedSettings },
    // A copy, because every read of `process.env` is a system call.
    env: { ...inputs.env },
    cwd: inputs.cwd,
    version,
    clock,
    log,
    shutdown,
    isDemo: inputs.demo !== undefined,
    demoAgent: inputs.demoAgent,
    track: (drive) => void background.add(drive),
    onNoteFailure: ({ message }) => log.error({ reason: message }, 'a driven run could not be noted'),
  })
  const { runs, queue } = stores
  if (runs === undefined || queue === undefined) return local
  const userElsewhere = { is: 'client', key: CONSOLE_USER.name, keyId: CONSOLE_USER.id, isUser: true } as const
  const keepDays = config.executions.keep_days
  return new SharedRuns({ local, ...runs, queue, isWorker, userElsewhere, keepDays, clock, log })
}

function promptContext(
  inputs: ServerInputs,
  shared: Pick<ServerContext, 'clock' | 'agents' | 'executions'> & { approvals: Approvals },
): PromptContext {
  const { config, stores, env, cwd, isRoot, log } = inputs
  const { server } = config
  const { clock, agents, executions, approvals } = shared
  return {
    caller: 'client',
    settings: config,
    // A copy, because every read of `process.env` is a system call.
    env: { ...env },
    cwd,
    isRoot,
    clock,
    locate: agents.find,
    openStore: async () => stores.sessions,
    slots: createSlots({ limit: server.max_concurrent_runs, queueLimit: server.max_queued_runs }),
    workdirs: createWorkdirPolicy({
      allowed: server.allowed_workdir_prefixes,
      blocked: server.blocked_workdir_prefixes,
    }),
    isUnsafeExtraAllowed: server.allow_unsafe_extra,
    privateFiles: inputs.privateFiles,
    firstEventTimeoutMs: shortestMs([server.first_event_timeout_secs]),
    longestRunMs: shortestMs([server.request_timeout_secs, config.unified_flags.command_timeout_secs]),
    executions,
    dispatch: createDispatcher(inputs, { clock, executions }),
    approvals,
    warm: config.warm.enabled ? createWarmPool(config, stores, log) : undefined,
    observer: {
      sessionFailed: (error) => log.error({ reason: String(error) }, 'a session could not be saved'),
      sessionLeft: (message) => log.warn({}, message),
    },
  }
}

/** With one machine there is no queue: a prompt runs in the server that got it. */
function createDispatcher(
  { config, stores, isWorker = true }: ServerInputs,
  { clock, executions }: Pick<ServerContext, 'clock' | 'executions'>,
): PromptContext['dispatch'] {
  const { queue, sessions, executions: store } = stores
  if (queue === undefined) return undefined
  const keep = keepModeOf(config.executions.keep, 'events')
  const owner = () => sessions.owner()
  const queueLimit = config.server.max_queued_runs
  const { repositories } = config.work
  const options = { queue, executions, store, owner, clock, ids: randomIds, keep, queueLimit, isWorker, repositories }
  return createDispatch(options)
}

function createWorker(
  { config, stores, drainDeadline: signal, log }: ServerInputs,
  { agents, executions, prompts }: Pick<ServerContext, 'agents' | 'executions' | 'prompts'>,
): Worker | undefined {
  const { queue, executions: store } = stores
  if (queue === undefined) return undefined
  const { repositories, max_per_key: perKey, max_per_backend: perBackend } = config.work
  const facts = () => ({
    backends: agents
      .list()
      .filter(isUsable)
      .map(({ backend }) => backend),
    repositories,
    slots: prompts.slots.limit,
    drive: { repositories: config.drive.repositories, checks: config.drive.checks },
  })
  return new Worker({ queue, store, executions, facts, limits: { perKey, perBackend }, signal, log })
}

function isUsable({ isEnabled, program }: AgentLocation): boolean {
  return isEnabled && program !== undefined
}

function createWarmPool({ warm }: Config, stores: Stores, log: Log): WarmPool {
  return new WarmPool({
    limits: toWarmLimits(warm),
    owner: () => stores.sessions.owner(),
    onFailure: ({ backend, reason }) => log.warn({ backend, reason }, 'an agent cannot be kept running'),
  })
}

/** 0 means no limit. */
function shortestMs(seconds: readonly number[]): number | null {
  const limits = seconds.filter((limit) => limit > 0)
  return limits.length === 0 ? null : Math.min(...limits) * 1000
}
