import { nearestWord } from '../../kit/match-names.ts'
import type { Invocation } from '../command.ts'
import { chatCommandInvalid, chatCommandUnknown } from '../faults.ts'
import { tableWidth } from '../output/text-table.ts'
import { wrapWords } from '../output/wrap-words.ts'
import { shortenSessionId } from '../sessions/session-text.ts'
import { parseWords } from '../words/parse-words.ts'
import type { Conversation } from './chat-conversation.ts'

/** In the order of `/help`. */
const COMMANDS: readonly { usage: string; does: string }[] = [
  { usage: '/backend NAME', does: 'continue with another agent' },
  { usage: '/model NAME', does: 'use another model of this agent; /model default resets it' },
  { usage: '/compare TEXT', does: 'ask all installed agents, without a session' },
  { usage: '/new', does: 'start a new session with this agent' },
  { usage: '/help', does: 'show this list' },
  { usage: '/exit', does: 'exit, as Ctrl-D does' },
]

const KEYS: readonly { usage: string; does: string }[] = [
  { usage: '\\ at the end', does: 'continue the message on the next line' },
  { usage: '"""', does: 'start or end a message of several lines (pasted lines need no quotes)' },
  { usage: '//text', does: 'send a text that begins with a slash' },
  { usage: 'Ctrl-C', does: 'cancel the answer or clear the line; twice on an empty line, exit' },
]

const NAMES = COMMANDS.map(({ usage }) => usage.split(' ', 1)[0]?.slice(1) ?? '')

export type CommandEnd = { exits?: true; exitCode: number }

const DONE: CommandEnd = { exitCode: 0 }

/** Runs a command and prints to stderr, because only answers are results. */
export async function runSlashCommand(
  { name, argument }: { name: string; argument: string },
  { invocation, conversation }: { invocation: Invocation; conversation: Conversation },
): Promise<CommandEnd> {
  const { err } = invocation.runtime.terminal
  switch (name) {
    case 'backend':
      await err.write(chooseBackend(conversation, argument))
      return DONE
    case 'model':
      await err.write(chooseModel(conversation, argument))
      return DONE
    case 'compare':
      return { exitCode: await compare(invocation, argument) }
    case 'new':
      conversation.startOver()
      await err.write(`The next prompt starts a new session with ${conversation.backend}.\n`)
      return DONE
    case 'help':
      await err.write(formatHelp(tableWidth(err)))
      return DONE
    case 'exit':
    case 'quit':
      return { ...DONE, exits: true }
    default:
      throw chatCommandUnknown({ name, nearest: nearestWord(name, NAMES) })
  }
}

function formatHelp(columns: number): string {
  const rows = [...COMMANDS, ...KEYS]
  const width = Math.max(...rows.map(({ usage }) => usage.length))
  const lines = rows.flatMap(({ usage, does }) =>
    wrapWords(does, Math.max(20, columns - width - 4)).map(
      (line, at) => `  ${(at === 0 ? usage : '').padEnd(width)}  ${line}\n`,
    ),
  )
  return lines.join('')
}

/** Every agent keeps its own session: none of them knows what was said to another. */
function chooseBackend(conversation: Conversation, name: string): string {
  const { backend: before } = conversation
  if (name === '') return `${before} answers. /backend NAME changes that: ${conversation.backends.join(', ')}.\n`
  const backend = conversation.backends.find((known) => known === name)
  if (backend === undefined) {
    throw chatCommandInvalid({ problem: `there is no backend "${name}"; use ${conversation.backends.join(', ')}` })
  }
  if (backend === before) return `${backend} answers already.\n`
  conversation.switchTo(backend)
  const { session } = conversation
  return session === undefined
    ? `${backend} answers now, in a new session. It does not know what ${before} was told; /backend ${before} goes back.\n`
    : `${backend} answers now, in its session ${shortenSessionId(session)} of before.\n`
}

function chooseModel(conversation: Conversation, name: string): string {
  const { backend } = conversation
  if (name === '') return `${backend} uses ${conversation.model ?? 'its default model'}. /model NAME changes that.\n`
  if (/\s/.test(name)) throw chatCommandInvalid({ problem: `"${name}" is not a model name; it contains a space` })
  conversation.model = name === 'default' ? undefined : name
  return `${backend} uses ${conversation.model ?? 'its default model'} from the next prompt on.\n`
}

/** The same as `drover compare --all-backends`, with the flags of the conversation that it has too. */
async function compare({ flags, ...invocation }: Invocation, text: string): Promise<number> {
  if (text === '') throw chatCommandInvalid({ problem: '/compare needs a text, as in /compare tabs or spaces?' })
  const command = invocation.commands.find(({ words }) => words[0] === 'compare')
  if (command === undefined) throw chatCommandUnknown({ name: 'compare', nearest: undefined })
  const shared = ['config', 'workdir', 'approval', 'access', 'timeout'].flatMap((name) => {
    const value = flags.text(name)
    return value === undefined ? [] : [`--${name}=${value}`]
  })
  const switches = flags.isOn('demo') ? ['--demo'] : []
  const { run } = await command.load()
  const { args, flags: own } = parseWords(command, ['--all-backends', '--no-stdin', ...shared, ...switches, '--', text])
  return await run({ ...invocation, args, flags: own })
}

/** For the Tab key. Pure. */
export function completeCommand(line: string, backends: readonly string[]): [candidates: string[], completed: string] {
  const [, name] = /^\/(backend) \S*$/.exec(line) ?? []
  const words = name === undefined ? NAMES.map((each) => `/${each}`) : backends.map((each) => `/${name} ${each}`)
  return line.startsWith('/') ? [words.filter((word) => word.startsWith(line)), line] : [[], line]
}
