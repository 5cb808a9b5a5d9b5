/** Creates the context in which the user's own prompts run: those of a command, of a program, of an editor. */
import { type LocateOptions, locateAgent } from '../agents/locate-agents.ts'
import type { WarmPool, WarmPoolOptions } from '../agents/pool/warm-pool.ts'
import { Fault } from '../kit/fault.ts'
import { randomIds } from '../kit/ids.ts'
import { createSlots } from '../prompts/concurrency-slots.ts'
import type { PromptContext } from '../prompts/prompt-context.ts'
import type { SessionStore } from '../sessions/session-store.ts'
import { Executions } from './executions.ts'
import { type KeepMode, keepModeOf } from './store/execution-states.ts'
import type { ExecutionStore } from './store/execution-store.ts'
import type { Stores } from './store/open-stores.ts'

/** The parts of the configuration that it depends on. */
type Settings = PromptContext['settings'] & {
  executions: { keep: KeepMode | 'auto' }
  server: { max_concurrent_runs: number; allow_unsafe_extra: boolean }
}

export type OpenPromptsOptions = Pick<PromptContext, 'env' | 'cwd' | 'isRoot' | 'clock'> & {
  settings: Settings
  /** The command of the demo agent, if it may replace agents that are not installed. */
  demo: LocateOptions['demo']
  /** Called when the first session is stored or read. */
  openStores(): Promise<Stores>
  /** The number of agents that the caller runs at the same time. */
  atOnce?: number | undefined
  /** What is stored of prompts if the settings leave it open. */
  keep?: KeepMode | undefined
  /** Creates the pool of a caller whose agents stay up until it ends. */
  createPool?: ((owner: WarmPoolOptions['owner']) => WarmPool) | undefined
  /** An agent stored a session although the prompt was ephemeral. */
  onWarning(message: string): void
}

export type OpenedPrompts = AsyncDisposable & {
  context: PromptContext
  openStore(): Promise<SessionStore>
  openExecutions(): Promise<ExecutionStore>
}

export function openPrompts(options: OpenPromptsOptions): OpenedPrompts {
  const { settings, env, cwd, isRoot, clock, demo, createPool } = options
  let opened: Promise<Stores> | undefined
  const open = () => {
    opened ??= options.openStores()
    return opened
  }
  const openStore = async () => (await open()).sessions
  const openExecutions = async () => (await open()).executions
  const owner = async () => await (await openStore()).owner()
  const executions = new Executions({
    openStore: openExecutions,
    owner,
    clock,
    ids: randomIds,
    keep: keepModeOf(settings.executions.keep, options.keep ?? 'none'),
    // The result of the prompt has a warning about it.
    onFailure: () => {},
    toWarning: (error) => `the execution could not be saved: ${error instanceof Error ? error.message : error}`,
  })
  const warm = createPool?.(owner)
  const context: PromptContext = {
    caller: 'operator',
    settings,
    env,
    cwd,
    isRoot,
    clock,
    locate: (backend) => locateAgent(backend, { env, cwd, backends: settings.backends, demo }),
    openStore,
    slots: createSlots({
      limit: Math.max(settings.server.max_concurrent_runs, options.atOnce ?? 1),
      queueLimit: Number.POSITIVE_INFINITY,
    }),
    isUnsafeExtraAllowed: settings.server.allow_unsafe_extra,
    longestRunMs: null,
    executions,
    warm,
    observer: { sessionLeft: options.onWarning },
  }
  return {
    context,
    openStore,
    openExecutions,
    async [Symbol.asyncDispose]() {
      await warm?.close()
      await executions.close()
      const store = (await opened?.catch(() => undefined))?.sessions
      // The prompt has already warned about a turn that cannot be saved.
      await store?.close().catch(ignoreFault)
    },
  }
}

function ignoreFault(error: unknown): void {
  if (!(error instanceof Fault)) throw error
}
