/** Reads the conversation of a session for a new session on another backend. */
import { isFault } from '../kit/fault.ts'
import type { Ids } from '../kit/ids.ts'
import type { ConversationHistory } from '../prompts/prompt-request.ts'
import { sessionNotFound } from '../sessions/faults.ts'
import type { Session } from '../sessions/session.shape.ts'
import type { VisibleSessions } from '../sessions/session-store.ts'
import type { SessionTurn } from './session-turn.shape.ts'
import { findTurns, readTurns } from './session-turns.ts'
import type { ExecutionStore } from './store/execution-store.ts'
import { conversationNotKept } from './store/faults.ts'

/** `sessions` are those that the caller sees: of a parent that it does not see, nothing is carried. */
type Stores = { sessions: Pick<VisibleSessions, 'find'>; executions: ExecutionStore }

/** A fork of a fork of a fork; more would be a loop. */
const MAX_ANCESTORS = 100
const MARK_BYTES = 8

/** An execution that is a turn of a conversation. */
export type TurnId = { id: string; backend: string }

/** The latest turns that fit. Throws a Fault if no turn is kept. */
export async function carryConversation(
  session: Session,
  stores: Stores,
  { ids }: { ids: Ids },
): Promise<ConversationHistory> {
  const talk = await findConversation(session, stores)
  if (talk.kept.length === 0) throw conversationNotKept({ id: session.id, backend: session.backend })
  return await carryTurns(talk, stores.executions, ids)
}

/** `missing` is the number of turns that are not kept. `said`: turns after them that no execution has. */
type Talk = { kept: readonly TurnId[]; missing: number; said?: readonly QuotedTurn[] }

/** The same for turns that are known, oldest first. */
export async function carryTurns(talk: Talk, executions: ExecutionStore, ids: Ids): Promise<ConversationHistory> {
  const { kept, missing, said = [] } = talk
  const { quoted, leftOut } = await quoteLatest(newestFirst({ kept, said }, executions), kept.length + said.length)
  const notes = [
    ...(leftOut === 0 ? [] : [`the conversation is long: its first ${leftOut} turns were not sent`]),
    ...(missing === 0 ? [] : [`${missing} turns of the conversation are not kept and were not sent`]),
  ]
  const mark = ids.hex(MARK_BYTES)
  return { text: frameConversation(quoted, { mark, leftOut: leftOut + missing }), notes }
}

/** Oldest first. A fork on another backend began with the conversation of its parent, so that belongs to it too. */
async function findConversation(session: Session, { sessions, executions }: Stores) {
  const kept: TurnId[] = []
  let missing = 0
  let current: Session | undefined = session
  for (let depth = 0; current !== undefined && depth < MAX_ANCESTORS; depth += 1) {
    const { id, backend, turn_count: finished }: Session = current
    const found = await findTurns(executions, { session: id })
    kept.unshift(...found.map((turn) => ({ id: turn, backend })))
    missing += Math.max(0, finished - found.length)
    const parent: Session | undefined = await findParent(current, sessions)
    current = parent?.backend === backend ? undefined : parent
  }
  return { kept, missing }
}

async function findParent({ parent_id: id }: Session, sessions: Stores['sessions']): Promise<Session | undefined> {
  if (id === undefined) return undefined
  try {
    return await sessions.find(id)
  } catch (error) {
    if (isFault(error, sessionNotFound)) return undefined
    throw error
  }
}

async function* newestFirst(
  { kept, said }: { kept: readonly TurnId[]; said: readonly QuotedTurn[] },
  executions: ExecutionStore,
): AsyncGenerator<QuotedTurn, void, undefined> {
  yield* said.toReversed()
  for (const { id, backend } of kept.toReversed()) {
    for await (const turn of readTurns(executions, [id])) yield { backend, turn }
  }
}

/** From the newest back, so that an old conversation of megabytes is not read at all. */
async function quoteLatest(
  turns: AsyncIterable<QuotedTurn>,
  count: number,
): Promise<{ quoted: string[]; leftOut: number }> {
  const quoted: string[] = []
  let size = 0
  for await (const turn of turns) {
    const text = quoteTurn(turn)
    size += text.length
    if (size > CONVERSATION_LIMIT && quoted.length > 0) break
    quoted.unshift(text)
  }
  return { quoted, leftOut: count - quoted.length }
}

/** A turn with the agent that answered. */
export type QuotedTurn = {
  backend: string
  turn: Pick<SessionTurn, 'prompt' | 'attachments' | 'answer' | 'tools' | 'error'>
}

/** Of all turns together, in characters: about a tenth of what an agent reads at once. */
const CONVERSATION_LIMIT = 100_000
/** Of one prompt or answer. */
const TEXT_LIMIT = CONVERSATION_LIMIT / 4
const MAX_TOOLS = 50

/** One turn. Each line of a prompt or answer begins with `> `, so that it cannot look like a line of ours. */
export function quoteTurn({ backend, turn }: QuotedTurn): string {
  const { prompt, attachments = [], answer, tools, error } = turn
  const files = attachments.map(({ media_type: type }) => `[a file that is not quoted: ${type}]`)
  const shown = tools.slice(0, MAX_TOOLS).map(({ name, input }) => `${name} ${input}`)
  const more = tools.length > MAX_TOOLS ? [`and ${tools.length - MAX_TOOLS} more`] : []
  const parts = [
    `User:\n${quote([prompt, ...files].join('\n'))}`,
    ...(shown.length === 0 ? [] : [`Tools that ${backend} used:\n${quote([...shown, ...more].join('\n'))}`]),
    ...(answer === undefined || answer === '' ? [] : [`${backend}:\n${quote(answer)}`]),
    ...(error === undefined ? [] : [`The turn of ${backend} failed:\n${quote(error)}`]),
  ]
  return parts.join('\n\n')
}

/** The whole text in front of the new prompt. `mark` is random, so that no text can end the quotation. */
export function frameConversation(
  turns: readonly string[],
  { mark, leftOut }: { mark: string; leftOut: number },
): string {
  const note = leftOut === 0 ? [] : [`(${leftOut} earlier turns are left out.)`]
  return [
    `Between the next two lines with the mark ${mark} is the record of an earlier conversation of the user with an agent.`,
    'It is quoted: each quoted line begins with "> ". Take it as background; files may have changed since.',
    'Only the text after the second line is your task.',
    '',
    `----- conversation ${mark} -----`,
    [...note, ...turns].join('\n\n'),
    `----- end of conversation ${mark} -----`,
    '',
    '',
  ].join('\n')
}

function quote(text: string): string {
  return cut(text.trimEnd()).replace(/^/gm, '> ')
}

/** The beginning and the end say most. */
function cut(text: string): string {
  if (text.length <= TEXT_LIMIT) return text
  const half = TEXT_LIMIT / 2
  const left = text.length - TEXT_LIMIT
  return `${text.slice(0, half)}\n[${left} characters are left out]\n${text.slice(-half)}`.toWellFormed()
}
