import type { ActionTrace } from './run.ts'

type History = readonly ActionTrace[]

/**
 * The action ids of a history and of every history that continues it. The set is built once and passed on from history to
 * history, so a lookup in a long run costs no more than in a short one.
 */
const idsOf = new WeakMap<History, Set<string>>()

export function hasActionId(history: History, id: string): boolean {
  // The set is shared by all continuations, so an id in it may belong to another one.
  return collectIds(history).has(id) && history.some(({ action }) => action.action_id === id)
}

/** Reuses the id set of `before` for `after`, the history one event later. */
export function passOnActionIds(before: History, after: History): void {
  const ids = collectIds(before)
  const issued = after[before.length]
  if (issued !== undefined) ids.add(issued.action.action_id)
  idsOf.set(after, ids)
}

function collectIds(history: History): Set<string> {
  const known = idsOf.get(history)
  if (known !== undefined) return known
  const ids = new Set(history.map(({ action }) => action.action_id))
  idsOf.set(history, ids)
  return ids
}
