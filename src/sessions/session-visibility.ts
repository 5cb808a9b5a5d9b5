/**
 * Which sessions an API key sees: its own, and those of others that are shared. It changes only its own. `keyId` undefined
 * means everything: an operator, or the user of the machine. Pure.
 */
import { sessionOfAnotherKey } from './faults.ts'
import { type SessionQuery, type SqlText, toConditions, toSelect } from './session-query.ts'
import type { SessionRow } from './session-rows.ts'

/** The condition on a session that is looked up; for SQLite and for PostgreSQL. */
export function isVisible(keyId: string | undefined): SqlText {
  return keyId === undefined ? { text: 'true', values: [] } : { text: '(key_id = ? OR is_shared = 1)', values: [keyId] }
}

/** Call it with a session that is visible. */
export function requireOwn({ id, key_id: owner }: SessionRow, keyId: string | undefined): void {
  if (keyId !== undefined && owner !== keyId) throw sessionOfAnotherKey({ id })
}

/** A session is in one of the two. Each has an index in the order of a page. */
const PARTS = [
  { source: 'sessions s INDEXED BY sessions_by_key', condition: 's.key_id = ?' },
  { source: 'sessions s INDEXED BY sessions_shared', condition: 's.is_shared = 1 AND s.key_id <> ?' },
]

/**
 * SQLite: the number of sessions that match and that a key sees. Only these are read, even in a search: neither the answer
 * nor the time that it takes tells what others have.
 */
export function toVisibleCount(query: SessionQuery, keyId: string): SqlText {
  const parts = selectParts('count(*)', query, keyId)
  return {
    text: `SELECT ${parts.map(({ text }) => `(${text})`).join(' + ')} AS total`,
    values: parts.flatMap(({ values }) => values),
  }
}

/** SQLite: a page of them. Sorted by last use, newest first, then by id, descending. */
export function toVisiblePage(query: SessionQuery, keyId: string, page: { limit: number; offset: number }): SqlText {
  const parts = selectParts('s.number, s.last_used, s.id', query, keyId)
  const order = 'ORDER BY last_used DESC, id DESC LIMIT ?'
  return {
    text: `${parts.map(({ text }) => `SELECT * FROM (${text} ${order})`).join(' UNION ALL ')} ${order} OFFSET ?`,
    values: [...parts.flatMap(({ values }) => [...values, page.limit + page.offset]), page.limit, page.offset],
  }
}

function selectParts(what: string, query: SessionQuery, keyId: string): SqlText[] {
  return PARTS.map(({ source, condition }) =>
    // Stryker disable next-line StringLiteral: every path but two has the same conditions
    toSelect(what, { text: source, values: [] }, [{ text: condition, values: [keyId] }, ...toConditions(query, 'use')]),
  )
}
