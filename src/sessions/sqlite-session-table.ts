/** What SQLite does differently with sessions: a table finds their texts, another one counts them, and long texts are in pieces. */
import { all, get, type Row, type Steps } from '../store/sql.ts'
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
import {
  asSessionRow,
  type SessionRow,
  type StoreFields,
  toColumns,
  toSearchText,
  toSearchTitle,
  toSession,
} from './session-rows.ts'
import {
  ADDED_COLUMNS,
  type FoundTexts,
  type LoadedSessions,
  type SessionTable,
  type WantedPage,
} from './session-table.ts'
import { toPieces } from './session-texts.ts'
import { toVisibleCount, toVisiblePage } from './session-visibility.ts'
import { addPieces, deletePieces, findPieces } from './stored-texts.ts'

const INSERT = `INSERT INTO sessions (${ADDED_COLUMNS.join(', ')}) VALUES (${ADDED_COLUMNS.map(() => '?').join(', ')})`
const EVERYTHING = { facets: new Map(), isResumable: undefined }

export class SqliteSessionTable implements SessionTable {
  /** Small enough to block neither other processes nor our event loop for long. */
  readonly deletedAtOnce = 50
  readonly hasPieces = true;

  *add(session: Session, storeFields: StoreFields): Steps<void> {
    const columns = toColumns(session, storeFields)
    yield* all(INSERT, ...ADDED_COLUMNS.map((name) => columns[name] ?? null))
    yield* all('INSERT INTO session_search (rowid, text) VALUES (last_insert_rowid(), ?)', toSearchText(session))
    yield* addPieces(session.id, toPieces(session)[0] ?? [])
  }

  *saveSearchTitle({ number }: SessionRow, title: string | undefined): Steps<void> {
    const sql = 'UPDATE session_search SET text = ? || substr(text, instr(text, char(10)) + 1) WHERE rowid = ?'
    yield* all(sql, toSearchTitle(title), number)
  }

  /** Also deletes the first pieces of their texts. */
  *delete(ids: readonly string[]): Steps<void> {
    for (const id of ids) {
      yield* all('DELETE FROM sessions WHERE id = ?', id)
      yield* deletePieces(id)
    }
  }

  *findUnused(before: string, limit = -1): Steps<string[]> {
    const sql = `SELECT id FROM sessions INDEXED BY sessions_by_use WHERE last_used < ? AND owner IS NULL
      ORDER BY last_used, id LIMIT ?`
    return (yield* all(sql, before, limit)).map((row) => String(row['id']))
  }

  *findPage(query: SessionQuery, page: WantedPage): Steps<LoadedSessions & { total: number }> {
    const { numbers, total } = yield* findNumbers(query, page)
    return { total, ...(yield* this.load(numbers)) }
  }

  load(numbers: readonly number[]): Steps<LoadedSessions> {
    return loadSome(numbers)
  }

  count(): Steps<number> {
    return countBy(toStoredCount(EVERYTHING))
  }

  findTexts({ id }: Row): Steps<FoundTexts> {
    return findPieces(String(id))
  }
}

/** The sessions of a page that the key sees, by number, and how many match. */
function* findNumbers(query: SessionQuery, wantedPage: WantedPage): Steps<{ numbers: number[]; total: number }> {
  const { limit, offset, keyId } = wantedPage
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
function* loadSome(numbers: readonly number[]): Steps<LoadedSessions> {
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

function* countBy({ text, values }: SqlText): Steps<number> {
  return Number((yield* get(text, ...values))?.['total'])
}
