/** Writes turns of a conversation as quoted text for another agent. Pure. */
import type { SessionTurn } from './session-turn.shape.ts'

/** A turn with the agent that answered. */
export type QuotedTurn = { backend: string; turn: SessionTurn }

/** Of all turns together, in characters: about a tenth of what an agent reads at once. */
export const CONVERSATION_LIMIT = 100_000
/** Of one prompt or answer. */
const TEXT_LIMIT = CONVERSATION_LIMIT / 4
const MAX_TOOLS = 50

/** One turn. Each line of a prompt or answer begins with `> `, so that it cannot look like a line of ours. */
export function quoteTurn({ backend, turn }: QuotedTurn): string {
  const { prompt, answer, tools, error } = turn
  const shown = tools.slice(0, MAX_TOOLS).map(({ name, input }) => `${name} ${input}`)
  const more = tools.length > MAX_TOOLS ? [`and ${tools.length - MAX_TOOLS} more`] : []
  const parts = [
    `User:\n${quote(prompt)}`,
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
