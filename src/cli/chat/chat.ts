/** `drover chat`: a conversation with an agent, line by line. */
import { Fault } from '../../kit/fault.ts'
import { USER } from '../../prompts/caller.ts'
import type { InProcessDrover } from '../../service/in-process.ts'
import type { Session } from '../../sessions/session.shape.ts'
import type { Invocation, RunCommand } from '../command.ts'
import { chatInputMissing, flagsConflict } from '../faults.ts'
import { exitCodeOfSignal } from '../interruption.ts'
import { openDrover } from '../open/open-drover.ts'
import { toMessage } from '../output/printable.ts'
import { isInteractive } from '../prompt/ask-user.ts'
import { newestSession } from '../prompt/newest-session.ts'
import { requestFromFlags } from '../prompt/prompt-flags.ts'
import { listCandidates } from '../sessions/open-sessions.ts'
import { shortenSessionId } from '../sessions/session-text.ts'
import { findUserPaths, readSettings } from '../settings.ts'
import { Conversation } from './chat-conversation.ts'
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
