/** What the user has typed or filtered by. It outlives the page: a login that ends, or a look at another page, loses nothing. */
import { type Signal, signal } from '@preact/signals'

const drafts = new Map<string, Signal<string>>()

/** The same signal for the same name. */
export function findDraft(name: string): Signal<string> {
  const known = drafts.get(name)
  if (known !== undefined) return known
  const draft = signal('')
  drafts.set(name, draft)
  return draft
}

/** Each column of a comparison has its own stream, and browsers allow six connections to a server. */
export const MAX_COMPARED = 4

/** The agents that were chosen for something new. Empty: the default. */
export const chosenAgents = signal<readonly string[]>([])

export type LineComment = { path: string; side: 'left' | 'right'; line: number; text: string }

const comments = new Map<string, Signal<readonly LineComment[]>>()

/** Comments on lines of one run that were not sent yet. They outlive the page, as everything that the user types. */
export function commentsOf(runId: string): Signal<readonly LineComment[]> {
  const known = comments.get(runId)
  if (known !== undefined) return known
  const created = signal<readonly LineComment[]>([])
  comments.set(runId, created)
  return created
}

const isSamePlace = (a: Omit<LineComment, 'text'>, b: Omit<LineComment, 'text'>) =>
  a.path === b.path && a.side === b.side && a.line === b.line

/** One comment for each line. An empty text removes it. */
export function withComment(all: readonly LineComment[], comment: LineComment): LineComment[] {
  const rest = all.filter((each) => !isSamePlace(each, comment))
  return comment.text.trim() === '' ? rest : [...rest, comment]
}

/** As a requirement of the next round, which names the place. */
export function toRequirement({ path, side, line, text }: LineComment): string {
  return `${path}:${line}${side === 'left' ? ' (removed line)' : ''}: ${text.trim()}`
}
