/** The two ways of a prompt: to a separate process, or to one that is already up. Both must give the same. */
import { request as send } from 'node:http'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { expect } from 'vitest'
import type { AgentRequest, Usage } from '../../src/agents/adapter/agent.ts'
import type { AgentResult } from '../../src/agents/agent-result.ts'
import { buildCommand } from '../../src/agents/build-command.ts'
import { findWarmBackend } from '../../src/agents/pool/warm-backends.ts'
import { runAgent } from '../../src/agents/run-agent.ts'
import { newScratchDirectory } from '../../src/agents/scratch-files.ts'
import { Fault } from '../../src/kit/fault.ts'
import { DROVER, type Ran, runAt } from '../support/run-drover.ts'
import { until } from '../support/until.ts'
import type { AgentSetup } from './agent-setup.ts'

export const MODES = ['cold', 'warm'] as const
export type Mode = (typeof MODES)[number]

/** Runs one prompt to its end, without a server. */
export async function runRequest(mode: Mode, request: AgentRequest, priorUsage?: Usage): Promise<AgentResult> {
  const signal = new AbortController().signal
  const turn = { request, command: buildCommand(request), signal, priorUsage }
  const backend = mode === 'warm' ? findWarmBackend(request) : undefined
  // Some prompts always get a process of their own: see src/agents/pool.
  const isAlone =
    backend?.fixedParts(request) === undefined || (!backend.loadsSessions && request.resumeId !== undefined)
  const alone = () => toEnd(runAgent(request, turn.command, turn))
  if (isAlone) return await alone()
  const scratchDirectory = newScratchDirectory()
  const fixed = { ...request, prompt: '', scratchDirectory, ...(!backend.isOneSession && { resumeId: undefined }) }
  const starting = backend.start({ request: fixed, scratchDirectory, owner: undefined, signal })
  try {
    return await toEnd((await starting).prompt(turn))
  } catch (error) {
    // What the agent does not take runs in a separate process.
    if (!(error instanceof Fault)) throw error
    return await alone()
  } finally {
    await (await starting.catch(() => undefined))?.end()
  }
}

async function toEnd(run: ReturnType<typeof runAgent>): Promise<AgentResult> {
  let next = await run.next()
  while (next.done !== true) next = await run.next()
  return next.value
}

type Variables = Record<string, string>

/** Runs drover in the working directory of the agent: with `warm` in a server of the user. Call `end` after the test. */
export class Command {
  readonly #mode: Mode
  readonly #setup: AgentSetup

  constructor(mode: Mode, setup: AgentSetup) {
    this.#mode = mode
    this.#setup = setup
  }

  /** What every command of a test needs. */
  env(scenario: string): Variables {
    const env = this.#setup.env(scenario)
    return this.#mode === 'cold' ? env : { ...env, DROVER_WARM_SPARE_AFTER: '1' }
  }

  /** Does it once, or twice with a server: the first one starts the process of the second. */
  async repeat<T>(scenario: string, once: () => Promise<T>): Promise<T> {
    if (this.#mode === 'cold') return await once()
    await this.#drover(['up'], scenario)
    await once()
    await until(async () => (await warmAgents(this.#setup)).some(({ state }) => state === 'idle'))
    return await once()
  }

  async run(scenario: string, args: readonly string[]): Promise<Ran> {
    const once = () => this.#drover(args, scenario)
    // Both contain what the agent prints in a separate process.
    if (args.includes('json') || args.includes('--raw')) return await once()
    const ran = await this.repeat(scenario, once)
    if (this.#mode === 'warm' && ran.code === 0) {
      expect((await warmAgents(this.#setup)).some(({ turns }) => turns > 0)).toBe(true)
    }
    return ran
  }

  async end(): Promise<void> {
    if (this.#mode === 'warm') await this.#drover(['down'], 'plain')
  }

  #drover(args: readonly string[], scenario: string): Promise<Ran> {
    return runAt(this.#setup.work, [process.execPath, DROVER, ...args], this.env(scenario))
  }
}

type WarmAgent = { backend: string; state: string; turns: number }

/** What the server of this user keeps running. */
export async function warmAgents({ home }: Pick<AgentSetup, 'home'>): Promise<WarmAgent[]> {
  const request = send({ socketPath: join(home, '.drover', 'server.sock'), path: '/local/status' })
  request.end()
  const answer = await new Promise<string>((resolve, reject) => {
    request.once('error', reject)
    request.once('response', (response) => resolve(text(response)))
  })
  return (JSON.parse(answer) as { warm: WarmAgent[] }).warm
}
