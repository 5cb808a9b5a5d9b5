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
