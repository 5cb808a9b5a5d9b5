/** Puts together what a server stands on, from what the program was started with. */
import type { KeyRing } from '../../config/api-keys.ts'
import type { Config } from '../../config/config.shape.ts'
import { type Clock, systemClock } from '../../kit/clock.ts'
import { randomIds } from '../../kit/ids.ts'
import type { Log } from '../../kit/log.ts'
import type { PromptContext } from '../../prompts/prompt-context.ts'
import { createSlots } from '../../prompts/slots.ts'
import { createWorkdirPolicy } from '../../prompts/workdir-policy.ts'
import type { SessionStore } from '../../sessions/session-store.ts'
import { createAgentDirectory } from './agent-directory.ts'
import type { ServerContext } from './server-context.ts'

export type Given = {
  config: Config
  version: string
  env: Readonly<Record<string, string | undefined>>
  cwd: string
  isRoot: boolean
  /** How the demo agent is started, when it may stand in for agents that are not installed. */
  demo: readonly [string, ...string[]] | undefined
  clock?: Clock
  keys: KeyRing
  store: SessionStore
  shutdown: AbortSignal
  timeUp: AbortSignal
  log: Log
  writeAccess: ServerContext['writeAccess']
  logsPrompts: boolean
}

/** Proxies close connections that are silent for a minute, some for half of one. */
const HEARTBEAT_MS = 15_000

export function createContext(given: Given): ServerContext {
  const { config, version, keys, store, shutdown, timeUp, log, writeAccess, logsPrompts } = given
  const clock = given.clock ?? systemClock
  const agents = createAgentDirectory({
    env: given.env,
    cwd: given.cwd,
    backends: config.backends,
    demo: given.demo,
  })
  return {
    config,
    version,
    startedAt: clock.now(),
    clock,
    ids: randomIds,
    keys,
    store,
    agents,
    prompts: promptContext(given, { clock, agents }),
    shutdown,
    timeUp,
    heartbeatMs: HEARTBEAT_MS,
    log,
    writeAccess,
    logsPrompts,
    observer: {},
  }
}

function promptContext(
  { config, store, env, cwd, isRoot, log }: Given,
  { clock, agents }: Pick<ServerContext, 'clock' | 'agents'>,
): PromptContext {
  const { server } = config
  return {
    caller: 'client',
    settings: config,
    // A copy: the environment of the process asks the system for each of its variables, each time.
    env: { ...env },
    cwd,
    isRoot,
    clock,
    locate: agents.find,
    openStore: async () => store,
    slots: createSlots({ limit: server.max_concurrent_runs, queueLimit: server.max_queued_runs }),
    workdirs: createWorkdirPolicy({
      allowed: server.allowed_workdir_prefixes,
      blocked: server.blocked_workdir_prefixes,
    }),
    isUnsafeExtraAllowed: server.allow_unsafe_extra,
    longestRunMs: shortestMs([server.request_timeout_secs, config.unified_flags.command_timeout_secs]),
    observer: {
      sessionFailed: (error) => log.error({ reason: String(error) }, 'a session could not be written'),
    },
  }
}

/** 0 is no limit. */
function shortestMs(seconds: readonly number[]): number | null {
  const limits = seconds.filter((limit) => limit > 0)
  return limits.length === 0 ? null : Math.min(...limits) * 1000
}
