/** Finds and loads pages of sessions in SQLite. */
import { all, get, type Steps } from '../store/sql.ts'
import type { Session } from './session.shape.ts'
import {
  type AccessPath,
  type Facet,
  hasStoredCount,
  pickAccessPath,
  type SessionQuery,
  type SqlText,
  toCount,
  toPage,
  toStoredCount,
} from './session-query.ts'
import { asSessionRow, toSession } from './session-rows.ts'
import type { LoadedSessions, WantedPage } from './session-table.ts'
import { toVisibleCount, toVisiblePage } from './session-visibility.ts'

/** The sessions of a page that the key sees, by number, and how many match. */
export function* findNumbers(
  query: SessionQuery,
  { limit, offset, keyId }: WantedPage,
): Steps<{ numbers: number[]; total: number }> {
  if (keyId !== undefined) {
    const numbers = yield* readNumbers(toVisiblePage(query, keyId, { limit, offset }))
    return { numbers, total: yield* countBy(toVisibleCount(query, keyId)) }
  }
  const sizes = yield* countFacets(query)
  const total = yield* countBy(
    hasStoredCount(query) ? toStoredCount(query) : toCount(query, pickAccessPath(query, { found: 0, sizes })),
  )
  const accessPath: AccessPath = pickAccessPath(query, { found: total, sizes })
  // With the number of remaining matches as the limit, SQLite stops at the last match instead of searching on.
  const rest = Math.min(limit, total - offset)
  const numbers = rest > 0 ? yield* readNumbers(toPage(query, { accessPath, limit: rest, offset })) : []
  return { numbers, total }
}

function* readNumbers({ text, values }: SqlText): Steps<number[]> {
  return (yield* all(text, ...values)).map((row) => Number(row['number']))
}

/** How long one transaction may read sessions. A thousand of them may have 64 MB of metadata. */
const SLICE_MS = 10

/**
 * The sessions with these numbers, as many as there is time for, with only the beginnings of their prompts. Skips sessions
 * that were deleted meanwhile.
 */
export function* loadSome(numbers: readonly number[]): Steps<LoadedSessions> {
  const sessions: Session[] = []
  const deadline = performance.now() + SLICE_MS
  for (const [at, number] of numbers.entries()) {
    if (at > 0 && performance.now() > deadline) return { sessions, rest: numbers.slice(at) }
    const row = yield* get('SELECT * FROM sessions WHERE number = ?', number)
    if (row !== undefined) sessions.push(toSession(asSessionRow(row)))
  }
  return { sessions, rest: [] }
}

/** The number of sessions of each facet alone; not needed if there are fewer than two. */
function* countFacets({ facets }: SessionQuery): Steps<Map<Facet, number>> {
  const sizes = new Map<Facet, number>()
  if (facets.size < 2) return sizes
  for (const facet of facets) {
    sizes.set(facet[0], yield* countBy(toStoredCount({ facets: new Map([facet]), isResumable: undefined })))
  }
  return sizes
}

export function* countBy({ text, values }: SqlText): Steps<number> {
  return Number((yield* get(text, ...values))?.['total'])
}
