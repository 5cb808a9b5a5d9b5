/** Everything that prompts need to run: fake agents as executables, a real session store, a working directory. */

import { mkdirSync, realpathSync } from 'node:fs'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import { NATIVE_BACKENDS, type NativeBackend } from '../../src/agents/adapter/agent.ts'
import { locateAgent } from '../../src/agents/locate-agents.ts'
import { mergeLayers } from '../../src/config/layers.ts'
import { openStores } from '../../src/executions/store/open-stores.ts'
import { systemClock } from '../../src/kit/clock.ts'
import { randomIds } from '../../src/kit/ids.ts'
import { createSlots } from '../../src/prompts/concurrency-slots.ts'
import type { PromptContext, PromptRunOptions } from '../../src/prompts/prompt-context.ts'
import type { PromptEvent } from '../../src/prompts/prompt-event.ts'
import type { PromptRequest } from '../../src/prompts/prompt-request.ts'
import { runPrompt } from '../../src/prompts/run-prompt.ts'
import type { Script } from '../fake-agent/script.ts'
import { copyEmptyStore } from './empty-store.ts'
import { installFakeAgent } from './fake-agent.ts'
import { temporaryDirectory } from './run-drover.ts'
import { sandboxParts } from './sandbox-parts.ts'

const PATH_HERE = '/usr/local/bin:/usr/bin:/bin'

/** Each agent may have its own script, so that one call can meet several fates. */
export type Scripts = Partial<Record<NativeBackend, Script>>

export async function createPromptFixture(scripts: Scripts = {}, over: Partial<PromptContext> = {}) {
  const directory = realpathSync(temporaryDirectory())
  const work = join(directory, 'work')
  mkdirSync(work)
  // The agents store their sessions, so that one can be resumed and an unknown one cannot.
  const stateDirectory = join(directory, 'agent-sessions')
  for (const backend of NATIVE_BACKENDS)
    installFakeAgent(directory, backend, { script: scripts[backend] ?? {}, stateDirectory })
  const path = join(directory, 'sessions.db')
  copyEmptyStore(path)
  const { sessions: store } = await openStores({
    path,
    clock: systemClock,
    ids: randomIds,
  })
  onTestFinished(() => store.close())
  const context: PromptContext = {
    by: { is: 'client', role: 'operator' },
    settings: mergeLayers([]).config,
    env: { PATH: `${directory}:${PATH_HERE}`, HOME: directory },
    cwd: work,
    isRoot: false,
    clock: systemClock,
    sandbox: sandboxParts(join(directory, 'drover-home')),
    locate: (backend) => locateAgent(backend, { ...context, backends: context.settings.backends }),
    openStore: async () => store,
    slots: createSlots({ limit: 8, queueLimit: 256 }),
    isUnsafeExtraAllowed: false,
    longestRunMs: 30_000,
    ...over,
  }
  return { context, store, directory, work }
}

/** Reads a prompt to its end. */
export async function finishPrompt(
  request: PromptRequest,
  context: PromptContext,
  { onEvent, ...options }: Partial<PromptRunOptions> & { onEvent?: (event: PromptEvent) => unknown } = {},
) {
  const events: PromptEvent[] = []
  const run = runPrompt({ wantsDeltas: true, ...request }, context, {
    signal: new AbortController().signal,
    ...options,
  })
  for (;;) {
    const next = await run.next()
    if (next.done === true) return { events, result: next.value }
    events.push(next.value)
    await onEvent?.(next.value)
  }
}
