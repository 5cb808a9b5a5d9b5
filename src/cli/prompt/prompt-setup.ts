/** Creates the context in which the CLI runs prompts, and opens the sessions on demand. */

import { locateAgent } from '../../agents/locate-agents.ts'
import type { WarmPool, WarmPoolOptions } from '../../agents/pool/warm-pool.ts'
import type { Config } from '../../config/config.shape.ts'
import { type KeepMode, keepModeOf } from '../../executions/execution-states.ts'
import type { ExecutionStore } from '../../executions/execution-store.ts'
import { Executions } from '../../executions/executions.ts'
import type { Stores } from '../../executions/open-stores.ts'
import { Fault } from '../../kit/fault.ts'
import { randomIds } from '../../kit/ids.ts'
import { createSlots } from '../../prompts/concurrency-slots.ts'
import type { PromptContext } from '../../prompts/prompt-context.ts'
import type { SessionStore } from '../../sessions/session-store.ts'
import type { Invocation } from '../command.ts'
import { toPrintable } from '../output/printable.ts'
import { openUserStores } from '../sessions/open-sessions.ts'

export type PromptSetup = AsyncDisposable & {
  context: PromptContext
  openStore(): Promise<SessionStore>
  openExecutions(): Promise<ExecutionStore>
}

export type SetupOptions = {
  config: Config
  /** The number of agents that the command runs at the same time. */
  atOnce?: number
  /** What is stored of prompts if the settings leave it open. */
  keep?: KeepMode
  /** Creates the pool of a command whose agents stay up until it ends. */
  createPool?: ((owner: WarmPoolOptions['owner']) => WarmPool) | undefined
}

export function setUpPrompts(invocation: Invocation, options: SetupOptions): PromptSetup {
  const { config, atOnce = 1, keep = 'none', createPool } = options
  const { runtime, flags } = invocation
  const demo = flags.isOn('demo') ? runtime.demoAgent : undefined
  let opened: Promise<Stores> | undefined
  const open = () => {
    opened ??= openUserStores(invocation, config)
    return opened
  }
  const openStore = async () => (await open()).sessions
  const openExecutions = async () => (await open()).executions
  const owner = async () => await (await openStore()).owner()
  const executions = new Executions({
    openStore: openExecutions,
    owner,
    clock: runtime.clock,
    ids: randomIds,
    keep: keepModeOf(config.executions.keep, keep),
    // The result of the prompt has a warning about it.
    onFailure: () => {},
    toWarning: (error) => `the execution could not be saved: ${error instanceof Error ? error.message : error}`,
  })
  const warm = createPool?.(owner)
  const context: PromptContext = {
    caller: 'operator',
    settings: config,
    env: runtime.env,
    cwd: runtime.cwd,
    isRoot: runtime.isRoot,
    clock: runtime.clock,
    locate: (backend) => locateAgent(backend, { ...runtime, backends: config.backends, demo }),
    openStore,
    slots: createSlots({
      limit: Math.max(config.server.max_concurrent_runs, atOnce),
      queueLimit: Number.POSITIVE_INFINITY,
    }),
    isUnsafeExtraAllowed: config.server.allow_unsafe_extra,
    longestRunMs: null,
    executions,
    warm,
    observer: {
      sessionLeft: (message) => void runtime.terminal.err.write(`drover: warning: ${toPrintable(message)}\n`),
    },
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
