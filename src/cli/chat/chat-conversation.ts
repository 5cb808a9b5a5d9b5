/** The state of a conversation, and its turns. Each agent has its own session in it. */
import { realpathSync } from 'node:fs'
import { relative } from 'node:path'
import type { Backend } from '../../agents/adapter/agent.ts'
import { backendNames, requireProgram } from '../../agents/locate-agents.ts'
import type { Config } from '../../config/config.shape.ts'
import { USER } from '../../prompts/caller.ts'
import { backendNotFound } from '../../prompts/faults.ts'
import type { PromptRequest } from '../../prompts/prompt-request.ts'
import type { PromptResult } from '../../prompts/prompt-result.ts'
import type { InProcessDrover } from '../../service/in-process.ts'
import type { Session } from '../../sessions/session.shape.ts'
import { isResumable } from '../../sessions/session-changes.ts'
import type { Invocation } from '../command.ts'
import { listenForInterruption } from '../interruption.ts'
import { runAndPrint } from '../prompt/execute-prompt.ts'
import { requestFromFlags, textOptions, wantsDeltas } from '../prompt/prompt-flags.ts'
import { createTextPrinter, type PromptPrinter } from '../prompt/prompt-printer.ts'

export type ConversationOptions = {
  invocation: Invocation
  config: Config
  drover: InProcessDrover
  /** The session to continue. */
  resumes: Session | undefined
}

export type ChatTurnEnd = { exitCode: number; endedBy?: NodeJS.Signals | undefined }

export class Conversation {
  backend: Backend
  readonly #options: ConversationOptions
  readonly #asked: Omit<PromptRequest, 'backend' | 'prompt'>
  readonly #sessions = new Map<Backend, Session>()
  readonly #models = new Map<Backend, string>()
  readonly #shownWarnings = new Set<string>()

  constructor(options: ConversationOptions) {
    const { invocation, config, resumes } = options
    const { model, ...asked } = requestFromFlags(invocation)
    this.#options = options
    this.#asked = asked
    this.backend = resumes?.backend ?? invocation.flags.text('backend') ?? config.default_backend
    this.switchTo(this.backend)
    if (resumes !== undefined) this.#sessions.set(resumes.backend, resumes)
    if (model !== undefined) this.#models.set(this.backend, model)
  }

  get backends(): readonly Backend[] {
    return backendNames(this.#options.config.backends)
  }

  /** The session of the current agent; undefined before its first answer. */
  get session(): Session | undefined {
    return this.#sessions.get(this.backend)
  }

  /** The model that the user chose for the current agent. */
  get model(): string | undefined {
    return this.#models.get(this.backend)
  }

  set model(name: string | undefined) {
    if (name === undefined) this.#models.delete(this.backend)
    else this.#models.set(this.backend, name)
  }

  /** Throws if the agent cannot be started; the current one then stays. */
  switchTo(backend: Backend): void {
    const { drover, config } = this.#options
    const located = drover.agents.find(backend)
    if (located === undefined) throw backendNotFound({ backend, known: backendNames(config.backends) })
    requireProgram(located, located.wanted)
    this.backend = backend
  }

  /** The next prompt starts a new session. */
  startOver(): void {
    this.#sessions.delete(this.backend)
  }

  /** Runs a prompt. Ctrl-C ends only this turn. */
  async send(prompt: string): Promise<ChatTurnEnd> {
    const { invocation, config, drover } = this.#options
    using interruption = listenForInterruption()
    const { backend } = this
    const { result, ...end } = await runAndPrint(
      invocation,
      { request: this.#toRequest(prompt), drover, config, format: 'text', printer: this.#printer() },
      interruption,
    )
    if (result !== undefined) await this.#noteSession(backend, result)
    return end
  }

  #toRequest(prompt: string): PromptRequest {
    const { session: resumes, model, backend } = this
    const { workdir, system_prompt: system, ...asked } = this.#asked
    return {
      ...asked,
      // The session has its own directory and system prompt.
      ...(resumes === undefined && workdir !== undefined && { workdir }),
      ...(resumes === undefined && system !== undefined && { system_prompt: system }),
      ...(model !== undefined && { model }),
      backend,
      prompt,
      resumes,
      wantsDeltas: wantsDeltas(this.#options.invocation, 'text'),
    }
  }

  /** Says nothing about the session, which the next prompt continues, and shows a warning only once. */
  #printer(): PromptPrinter {
    const { invocation, config } = this.#options
    const { terminal } = invocation.runtime
    const printer = createTextPrinter(terminal, { backend: this.backend, ...textOptions(invocation, config) })
    return {
      ...printer,
      end: async (result) => {
        const warnings = (result.warnings ?? []).filter((warning) => !this.#shownWarnings.has(warning))
        for (const warning of warnings) this.#shownWarnings.add(warning)
        await printer.end({ ...result, warnings })
      },
    }
  }

  /** An agent that stored nothing, or has lost its session, starts a new one with the next prompt. */
  async #noteSession(backend: Backend, { session_id: id }: PromptResult): Promise<void> {
    if (id === '') return
    const store = await this.#options.drover.sessions.of(USER)
    const session = await store.find(id)
    if (isResumable(session)) this.#sessions.set(backend, session)
    else this.#sessions.delete(backend)
  }

  /** Whether `drover chat -c` in the current directory finds the session. */
  isHere({ working_dir: directory }: Session): boolean {
    return relative(realpathSync(this.#options.invocation.runtime.cwd), directory) === ''
  }
}
