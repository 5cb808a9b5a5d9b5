import type { ActionTrace } from './run.ts'

type History = readonly ActionTrace[]

/**
 * The ids in a history and in everything that it was continued with. They are gathered once and handed on from history to
 * history, so that asking about an id costs no more in a long run than in a short one.
 */
const idsOf = new WeakMap<History, Set<string>>()

export function hasActionId(history: History, id: string): boolean {
  // What is among the ids may be there by another continuation than this one.
  return gather(history).has(id) && history.some(({ action }) => action.action_id === id)
}

/** Hands the ids of a history on to what became of it by one event. */
export function handOnActionIds(before: History, after: History): void {
  const ids = gather(before)
  const issued = after[before.length]
  if (issued !== undefined) ids.add(issued.action.action_id)
  idsOf.set(after, ids)
}

function gather(history: History): Set<string> {
  const known = idsOf.get(history)
  if (known !== undefined) return known
  const ids = new Set(history.map(({ action }) => action.action_id))
  idsOf.set(history, ids)
  return ids
}
