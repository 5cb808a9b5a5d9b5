/** The subject of a commit, and the title of a pull request. Pure. */
import { titleOfGoal } from '../../contract/goal-title.ts'
import { withInertReferences } from '../../kit/foreign-text.ts'
import type { Requirement } from '../record/follow-event.shape.ts'
import { nameRequirement } from './next-round.ts'

const TITLE_CHARACTERS = 72

/** In the text of an issue, `@name` and `#12` are no references; in that of the user they are. */
export function toTitle(goal: string, { isOfUser }: { readonly isOfUser: boolean }): string {
  return isOfUser ? shorten(goal) : withInertReferences(shorten(goal))
}

/** Of a round after the delivery, which does something else than the commit before. Others write comments and the names of checks. */
export function subjectOf([first, ...more]: readonly [Requirement, ...Requirement[]]): string {
  const rest = more.length === 0 ? '' : ` (and ${more.length} more)`
  if (first.from === 'person') return shorten(first.text, rest)
  return withInertReferences(shorten(`Address ${nameRequirement(first)}`, rest))
}

function shorten(text: string, rest = ''): string {
  const characters = [...(titleOfGoal(text) || 'Change')]
  const most = TITLE_CHARACTERS - rest.length
  return `${characters.length > most ? `${characters.slice(0, most - 1).join('')}…` : characters.join('')}${rest}`
}
