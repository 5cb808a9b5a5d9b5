/** The text by which a session is found, and the text that is looked for in it, both in one form. Pure. */
import type { Session } from './session.ts'

/** An agent may be given a prompt of megabytes; what it is about stands at its beginning. */
const SEARCHED_PROMPT_LENGTH = 4_000

/** Capitals and the two ways to write an accent make no difference. */
export function fold(text: string): string {
  return text.normalize('NFC').toLowerCase()
}

export function searchTextOf({ title, initial_prompt }: Pick<Session, 'title' | 'initial_prompt'>): string {
  return fold(`${title ?? ''}\n${initial_prompt.slice(0, SEARCHED_PROMPT_LENGTH)}`)
}
