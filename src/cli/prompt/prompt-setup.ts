/** What the prompt commands stand on: the operator's own context, and the sessions. */

import { locateAgent } from '../../agents/locate-agents.ts'
import type { Config } from '../../config/config.shape.ts'
import { findPaths } from '../../config/paths.ts'
import { Fault } from '../../kit/fault.ts'
import { randomIds } from '../../kit/ids.ts'
import { abandonedAgentsEnder } from '../../prompts/end-abandoned-agents.ts'
import type { PromptContext } from '../../prompts/prompt-context.ts'
import { createSlots } from '../../prompts/slots.ts'
import type { SessionStore } from '../../sessions/session-store.ts'
import { openSessionStore } from '../../sessions/sqlite-session-store.ts'
import type { Invocation } from '../command.ts'
import { surroundingsOf } from '../settings.ts'

export type PromptSetup = AsyncDisposable & { context: PromptContext; openStore(): Promise<SessionStore> }

/** `atOnce`: how many agents the command wants to run side by side. */
export function setUpPrompts(
  invocation: Invocation,
  { config, atOnce = 1 }: { config: Config; atOnce?: number },
): PromptSetup {
  const { runtime, flags } = invocation
  const demo = flags.isOn('demo') ? runtime.demoAgent : undefined
  let opened: Promise<SessionStore> | undefined
  const openStore = () => {
    opened ??= openSessions(invocation, config)
    return opened
  }
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
  }
  return {
    context,
    openStore,
    async [Symbol.asyncDispose]() {
      const store = await opened?.catch(() => undefined)
      // A turn that cannot be saved even now was already a warning of its prompt.
      await store?.close().catch(passOverFault)
    },
  }
}

/** Sessions that a killed process left behind are settled first, so that nobody sees them running for ever. */
export async function openSessions(invocation: Invocation, config: Config): Promise<SessionStore> {
  const store = await openSessionStore({
    path: findPaths(surroundingsOf(invocation)).sessions,
    clock: invocation.runtime.clock,
    ids: randomIds,
    storeTokenUsage: config.session.store_token_usage,
    endAgentsOf: abandonedAgentsEnder(invocation.runtime.env),
  })
  await store.endAbandonedTurns()
  return store
}

function passOverFault(error: unknown): void {
  if (!(error instanceof Fault)) throw error
}
