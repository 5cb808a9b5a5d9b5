import type { StoreDatabase } from '../store/database.ts'
import type { Session } from './session.shape.ts'
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
import { toVisibleCount, toVisiblePage } from './session-visibility.ts'

/** The sessions of a page that the key sees, by number, and how many match. Call it inside a transaction, so that both agree. */
export function findPage(
  database: StoreDatabase,
  query: SessionQuery,
  { limit, offset, keyId }: { limit: number; offset: number; keyId: string | undefined },
): { numbers: number[]; total: number } {
  if (keyId !== undefined) {
    const { text, values } = toVisiblePage(query, keyId, { limit, offset })
    const found = database.all(text, ...values).map((row) => Number(row['number']))
    return { numbers: found, total: countBy(database, toVisibleCount(query, keyId)) }
  }
  const sizes = countFacets(database, query)
  const total = hasStoredCount(query)
    ? countBy(database, toStoredCount(query))
    : countBy(database, toCount(query, pickAccessPath(query, { found: 0, sizes })))
  const accessPath: AccessPath = pickAccessPath(query, { found: total, sizes })
  // With the number of remaining matches as the limit, SQLite stops at the last match instead of searching on.
  const rest = Math.min(limit, total - offset)
  const page = rest > 0 ? toPage(query, { accessPath, limit: rest, offset }) : undefined
  const rows = page === undefined ? [] : database.all(page.text, ...page.values)
  return { numbers: rows.map((row) => Number(row['number'])), total }
}

/** How long one transaction may read sessions. A thousand of them may have 64 MB of metadata. */
const SLICE_MS = 10

/**
 * The sessions with these numbers, as many as there is time for, with only the beginnings of their prompts. `rest` has the
 * numbers that are left. Skips sessions that were deleted meanwhile.
 */
export function loadSome(
  database: StoreDatabase,
  numbers: readonly number[],
): { sessions: Session[]; rest: readonly number[] } {
  const sessions: Session[] = []
  const deadline = performance.now() + SLICE_MS
  for (const [at, number] of numbers.entries()) {
    if (at > 0 && performance.now() > deadline) return { sessions, rest: numbers.slice(at) }
    const row = database.get('SELECT * FROM sessions WHERE number = ?', number)
    if (row !== undefined) sessions.push(toSession(asSessionRow(row)))
  }
  return { sessions, rest: [] }
}

/** The number of sessions of each facet alone; not needed if there are fewer than two. */
function countFacets(database: StoreDatabase, { facets }: SessionQuery): Map<Facet, number> {
  if (facets.size < 2) return new Map()
  const sizeOf = (facet: [Facet, string]) => {
    return countBy(database, toStoredCount({ facets: new Map([facet]), isResumable: undefined }))
  }
  return new Map([...facets].map((facet) => [facet[0], sizeOf(facet)]))
}

export function countBy(database: StoreDatabase, { text, values }: Sql): number {
  return Number(database.get(text, ...values)?.['total'])
}
