import type { SessionTurn } from '../../executions/session-turn.shape.ts'
import { writeIndentedJson } from '../../kit/json/write-json.ts'
import { USER } from '../../prompts/caller.ts'
import type { Session } from '../../sessions/session.shape.ts'
import type { Invocation, RunCommand } from '../command.ts'
import { toOneLine, toShown } from '../output/printable.ts'
import { tableWidth } from '../output/text-table.ts'
import { wrapOn, wrapWords } from '../output/wrap-words.ts'
import type { Channel } from '../terminal.ts'
import { withSessions } from './open-sessions.ts'
import { describeMissingTurns, sessionFacts, toolLines, turnFacts } from './session-text.ts'

const MAX_VALUE_COLUMNS = 400
const GAP = 2
/** Of a prompt, in characters. */
const SHOWN_PROMPT = 2000
/** In fewer columns, wrapping by the terminal is easier to read. */
const MIN_VALUE_COLUMNS = 20

export const run: RunCommand = async (invocation) => {
  const { args, flags, runtime } = invocation
  const { out } = runtime.terminal
  return await withSessions(invocation, async ({ store, sessions }) => {
    const session = await store.find(args[0] ?? '')
    const turns = sessions.turns(USER, session.id)
    if (flags.isOn('json')) {
      await out.write(`${writeIndentedJson(await withTurns(session, turns))}\n`)
      return 0
    }
    await out.write(`${factLines(session, invocation).join('\n')}\n`)
    await printTurns(session, turns, out)
    return 0
  })
}

type Turns = AsyncIterable<SessionTurn>

/** Without the field if no turn is kept. */
async function withTurns(session: Session, kept: Turns): Promise<Session & { turns?: SessionTurn[] }> {
  const turns: SessionTurn[] = []
  for await (const turn of kept) turns.push(turn)
  return turns.length === 0 ? session : { ...session, turns }
}

function factLines(session: Session, { runtime }: Invocation): string[] {
  const { out } = runtime.terminal
  const facts = sessionFacts(session, runtime.clock.now())
  const width = Math.max(...facts.map(([name]) => name.length))
  return facts.flatMap(([name, value]) => {
    const [first = '', ...rest] = wrapValue(value, { out, before: width + GAP, keepsPaths: name === 'directory' })
    return [
      `${out.style('dim', name.padEnd(width + GAP))}${first}`,
      ...rest.map((line) => ' '.repeat(width + GAP) + line),
    ]
  })
}

/** One turn is read and printed at a time. */
async function printTurns(session: Session, turns: Turns, out: Channel): Promise<void> {
  let count = 0
  for await (const turn of turns) {
    count += 1
    if ((await out.write(turnText(turn, { number: count, backend: session.backend, out }))) === 'closed') return
  }
  const missing = describeMissingTurns(session, count)
  if (missing !== undefined) await out.write(`\n${out.style('dim', wrapOn(out, missing))}\n`)
}

type TurnPlace = { number: number; backend: string; out: Channel }

function turnText(turn: SessionTurn, { number, backend, out }: TurnPlace): string {
  const heading = out.style('bold', toOneLine(`Turn ${number} · ${turnFacts(turn, backend)}`, tableWidth(out)))
  const prompt = shorten(toShown(turn.prompt.trimEnd(), out)).replace(/^/gm, '> ')
  const tools = toolLines(turn, tableWidth(out) - 1).map((line) => out.style('dim', line))
  const answer =
    turn.answer === undefined || turn.answer === '' ? [] : [wrapOn(out, toShown(turn.answer.trimEnd(), out))]
  const error = turn.error === undefined ? [] : [wrapOn(out, toShown(`failed: ${turn.error}`, out))]
  return `\n${[heading, prompt, ...tools, ...answer, ...error].join('\n')}\n`
}

/** A prompt may have a whole file in it. */
function shorten(prompt: string): string {
  if (prompt.length <= SHOWN_PROMPT) return prompt
  return `${prompt.slice(0, SHOWN_PROMPT)}\n… ${prompt.length - SHOWN_PROMPT} more characters; sessions export has all`
}

/** Wraps at words; the terminal would break long values anywhere. */
function wrapValue(
  value: string,
  { out, before, keepsPaths }: { out: Channel; before: number; keepsPaths: boolean },
): string[] {
  const line = toOneLine(value, MAX_VALUE_COLUMNS)
  const available = out.columns - before
  return out.isTty && available >= MIN_VALUE_COLUMNS ? wrapWords(line, available, { keepsPaths }) : [line]
}
