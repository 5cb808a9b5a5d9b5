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

/** One page of the matching sessions and their total number. Call it inside a transaction, so that both agree. */
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
  // With the number of remaining matches as the limit, SQLite stops at the last match instead of searching on.
  const rest = Math.min(limit, total - offset)
  const page = rest > 0 ? toPage(query, { accessPath, limit: rest, offset }) : undefined
  const rows = page === undefined ? [] : database.all(page.text, ...page.values)
  return { sessions: rows.map((row) => toSession(asSessionRow(row))), total, limit, offset }
}

/** The number of sessions of each facet alone; not needed if there are fewer than two. */
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
