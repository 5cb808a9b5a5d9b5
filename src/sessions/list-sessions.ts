import type { SessionDatabase } from './database.ts'
import type { SessionPage } from './session.shape.ts'
import {
  type AccessPath,
  type Facet,
  hasStoredCount,
  pickAccessPath,
  type SessionQuery,
  type Sql,
  toCount,
  toPage,
  toStoredCount,
} from './session-query.ts'
import { asSessionRow, toSession } from './session-rows.ts'

/** One page of the sessions that match, and how many match in all, as of one moment: to be called inside a transaction. */
export function listSessions(
  database: SessionDatabase,
  query: SessionQuery,
  { limit, offset }: { limit: number; offset: number },
): SessionPage {
  const sizes = sizesOf(database, query)
  const total = hasStoredCount(query)
    ? countBy(database, toStoredCount(query))
    : countBy(database, toCount(query, pickAccessPath(query, { found: 0, sizes })))
  const accessPath: AccessPath = pickAccessPath(query, { found: total, sizes })
  // With what is left as its limit, SQLite stops at the last match instead of looking for another one.
  const rest = Math.min(limit, total - offset)
  const page = rest > 0 ? toPage(query, { accessPath, limit: rest, offset }) : undefined
  const rows = page === undefined ? [] : database.all(page.text, ...page.values)
  return { sessions: rows.map((row) => toSession(asSessionRow(row))), total, limit, offset }
}

/** How many sessions each facet alone has; not asked where there is nothing to choose. */
function sizesOf(database: SessionDatabase, { facets }: SessionQuery): Map<Facet, number> {
  if (facets.size < 2) return new Map()
  const sizeOf = (facet: [Facet, string]) => {
    return countBy(database, toStoredCount({ facets: new Map([facet]), isResumable: undefined }))
  }
  return new Map([...facets].map((facet) => [facet[0], sizeOf(facet)]))
}

export function countBy(database: SessionDatabase, { text, values }: Sql): number {
  return Number(database.get(text, ...values)?.['total'])
}
