/** `drover chat`: a conversation with an agent, line by line. */
import { realpathSync } from 'node:fs'
import { relative } from 'node:path'
import type { Backend } from '../../agents/adapter/agent.ts'
import { backendNames, requireProgram } from '../../agents/locate-agents.ts'
import type { Config } from '../../config/config.shape.ts'
import { Fault } from '../../kit/fault.ts'
import { USER } from '../../prompts/caller.ts'
import { backendNotFound } from '../../prompts/faults.ts'
import type { PromptRequest } from '../../prompts/prompt-request.ts'
import type { PromptResult } from '../../prompts/prompt-result.ts'
import type { InProcessDrover } from '../../service/in-process.ts'
import type { Session } from '../../sessions/session.shape.ts'
import { isResumable } from '../../sessions/session-changes.ts'
import type { Invocation, RunCommand } from '../command.ts'
import { chatInputMissing, flagsConflict } from '../faults.ts'
import { exitCodeOfSignal, listenForInterruption } from '../interruption.ts'
import { openDrover } from '../open/open-drover.ts'
import { toMessage } from '../output/printable.ts'
import { isInteractive } from '../prompt/ask-user.ts'
import { runAndPrint } from '../prompt/execute-prompt.ts'
import { newestSession } from '../prompt/newest-session.ts'
import { requestFromFlags, textOptions, wantsDeltas } from '../prompt/prompt-flags.ts'
import { createTextPrinter, type PromptPrinter } from '../prompt/prompt-printer.ts'
import { listCandidates } from '../sessions/open-sessions.ts'
import { shortenSessionId } from '../sessions/session-text.ts'
import { findUserPaths, readSettings } from '../settings.ts'
import { type MessageSource, parseMessage, readFromPipe, readFromTerminal } from './read-messages.ts'
import { type CommandEnd, runSlashCommand } from './slash-commands.ts'

export const run: RunCommand = async (invocation) => {
  const { runtime } = invocation
  if (!runtime.stdin.isTty && !runtime.stdin.isPiped()) throw chatInputMissing({})
  const { config } = await readSettings(invocation)
  await using drover = openDrover(invocation, { config })
  const resumes = await findSession(invocation, drover)
  const conversation = new Conversation({ invocation, config, drover, resumes })
  const source = await openSource(invocation, conversation.backends)
  try {
    return await converse({ invocation, conversation, source })
  } finally {
    source.close()
  }
}

async function findSession(invocation: Invocation, drover: InProcessDrover): Promise<Session | undefined> {
  const { flags, runtime } = invocation
  const id = flags.text('session')
  if (id !== undefined && flags.isOn('continue')) throw flagsConflict({ flags: ['--session', '--continue'] })
  if (id !== undefined) {
    const store = await drover.sessions.of(USER)
    return await listCandidates({ store, now: runtime.clock.now() }, () => store.find(id))
  }
  if (!flags.isOn('continue')) return undefined
  const workdir = requestFromFlags(invocation).workdir ?? runtime.cwd
  return await newestSession(invocation, await drover.sessions.of(USER), { workdir, isResumable: true })
}

async function openSource(invocation: Invocation, backends: readonly string[]): Promise<MessageSource> {
  const { runtime } = invocation
  if (!isInteractive(runtime)) return readFromPipe(await runtime.stdin.lines())
  const { chatHistory: historyPath } = findUserPaths(invocation)
  return await readFromTerminal(runtime, { historyPath, backends })
}

type Chat = { invocation: Invocation; conversation: Conversation; source: MessageSource }

async function converse(chat: Chat): Promise<number> {
  const { runtime } = chat.invocation
  if (!isInteractive(runtime)) return await answerAll(chat)
  const { err } = runtime.terminal
  await err.write(err.style('dim', openingText(chat.conversation)))
  const exitCode = await answerEach(chat)
  await err.write(err.style('dim', closingText(chat.conversation)))
  return exitCode
}

/** With a user at the terminal it continues after a failure. */
async function answerEach(chat: Chat): Promise<number> {
  const { invocation, conversation, source } = chat
  const { err } = invocation.runtime.terminal
  for (;;) {
    const next = await source.next(err.style('bold', `${conversation.backend}> `))
    if (next.is === 'end') return next.by === undefined ? 0 : exitCodeOfSignal(next.by)
    const { exits, exitCode } = await reporting(invocation, () => handle(chat, next.text))
    if (exits === true) return exitCode
  }
}

/** Piped input ends with the first failure, because a script cannot react to it. */
async function answerAll(chat: Chat): Promise<number> {
  for (;;) {
    const next = await chat.source.next('')
    if (next.is === 'end') return 0
    const { exits, exitCode } = await handle(chat, next.text)
    if (exits === true || exitCode !== 0) return exitCode
  }
}

async function handle({ invocation, conversation }: Chat, text: string): Promise<CommandEnd> {
  const message = parseMessage(text)
  if (message.is === 'empty') return { exitCode: 0 }
  if (message.is === 'command') return await runSlashCommand(message, { invocation, conversation })
  const { exitCode, endedBy } = await conversation.send(message.text)
  // Ctrl-C ends the turn; any other signal ends the conversation.
  return endedBy === undefined || endedBy === 'SIGINT' ? { exitCode } : { exitCode, exits: true }
}

async function reporting(invocation: Invocation, work: () => Promise<CommandEnd>): Promise<CommandEnd> {
  try {
    return await work()
  } catch (error) {
    if (!(error instanceof Fault)) throw error
    await invocation.runtime.terminal.err.write(`drover: ${toMessage(error.message)}\n`)
    return { exitCode: 1 }
  }
}

function openingText({ backend, session }: Conversation): string {
  const continued = session === undefined ? '' : ` (session ${shortenSessionId(session)})`
  return `Chat with ${backend}${continued}. /help shows the commands; Ctrl-D exits.\n`
}

function closingText(conversation: Conversation): string {
  const { session } = conversation
  if (session === undefined) return ''
  const id = shortenSessionId(session)
  const demo = session.is_demo === true ? ' --demo' : ''
  return `session ${id} · continue with drover chat ${conversation.isHere(session) ? '-c' : `--session ${id}`}${demo}\n`
}

/** The state of a conversation, and its turns. Each agent has its own session in it. */
type ConversationOptions = {
  invocation: Invocation
  config: Config
  drover: InProcessDrover
  /** The session to continue. */
  resumes: Session | undefined
}

type ChatTurnEnd = { exitCode: number; endedBy?: NodeJS.Signals | undefined }

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
