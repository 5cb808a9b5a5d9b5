/** Offers the local socket in a server, and ends a server in the background that no one uses. */
import { setTimeout as delay } from 'node:timers/promises'
import { locateAgent } from '../../agents/locate-agents.ts'
import type { Config } from '../../config/config.shape.ts'
import { keepModeOf } from '../../executions/execution-states.ts'
import { Executions } from '../../executions/executions.ts'
import type { ServerContext } from '../../http/context/server-context.ts'
import { Fault } from '../../kit/fault.ts'
import { randomIds } from '../../kit/ids.ts'
import type { Log } from '../../kit/log.ts'
import { createSlots } from '../../prompts/concurrency-slots.ts'
import type { PromptContext } from '../../prompts/prompt-context.ts'
import type { Invocation } from '../command.ts'
import { LocalServer } from './local-server.ts'
import { digestOfSettings, localSocketPath } from './local-socket.ts'

const CHECK_MS = { least: 50, most: 10_000 }
const POLL_MS = 20

type Parts = { config: Config; context: ServerContext; isBackground: boolean; log: Log }

export type LocalOffer = {
  /** Resolves when a user ends the server, or it was idle for too long. Never, if it also has an address. */
  stopped: Promise<undefined>
  /** Takes no more prompts. */
  close(): void
  /** Waits until the prompts have ended; then, or after this time, the connections are closed. */
  drained(ms: number): Promise<void>
}

/** Throws a Fault if the server has nothing else to offer and another server has the socket. */
export async function offerLocally(invocation: Invocation, parts: Parts): Promise<LocalOffer> {
  const { config, context, isBackground, log } = parts
  const stop = Promise.withResolvers<undefined>()
  const server = new LocalServer({
    path: localSocketPath(invocation),
    version: context.version,
    config: digestOfSettings(config),
    isBackground,
    contextFor: createContexts(invocation, parts),
    warm: () => context.prompts.warm?.list() ?? [],
    onStop: () => isBackground && stop.resolve(undefined),
    log,
  })
  if (isBackground || config.server.local_socket) {
    try {
      await server.listen()
    } catch (error) {
      if (isBackground || !(error instanceof Fault)) throw error
      log.info({ reason: error.message }, 'the local socket is not offered')
    }
  }
  const idleMs = config.warm.background_idle_secs * 1000
  const timer = setInterval(() => server.idleMs() >= idleMs && stop.resolve(undefined), checkEvery(idleMs)).unref()
  if (!isBackground) clearInterval(timer)
  return {
    stopped: stop.promise,
    close: () => server.close(),
    async drained(ms) {
      for (const deadline = performance.now() + ms; server.isRunning() && performance.now() < deadline; )
        await delay(POLL_MS)
      server.end()
    },
  }
}

function checkEvery(idleMs: number): number {
  return Math.min(Math.max(idleMs / 4, CHECK_MS.least), CHECK_MS.most)
}

/** The context of a prompt as the command itself would create it, with the agents of this server. */
function createContexts({ runtime }: Invocation, { config, context }: Parts) {
  const { prompts, executionStore, store, clock, log } = context
  const executions = new Executions({
    openStore: async () => executionStore,
    owner: () => store.owner(),
    clock,
    ids: randomIds,
    keep: keepModeOf(config.executions.keep, 'none'),
    onFailure: (error) => log.error({ reason: String(error) }, 'executions could not be saved'),
  })
  const slots = createSlots({ limit: config.server.max_concurrent_runs, queueLimit: Number.POSITIVE_INFINITY })
  return ({ env, cwd }: { env: Record<string, string>; cwd: string }): PromptContext => ({
    caller: 'operator',
    settings: config,
    env,
    cwd,
    isRoot: runtime.isRoot,
    clock,
    locate: (backend) => locateAgent(backend, { env, cwd, backends: config.backends }),
    openStore: async () => store,
    slots,
    isUnsafeExtraAllowed: config.server.allow_unsafe_extra,
    longestRunMs: null,
    executions,
    warm: prompts.warm,
    observer: { sessionLeft: (message) => log.warn({}, message) },
  })
}
