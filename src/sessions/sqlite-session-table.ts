/** What SQLite does differently with sessions: a table finds their texts, another one counts them, and long texts are in pieces. */
import { all, type Row, type Steps } from '../store/sql.ts'
import { countBy, findNumbers, loadSome } from './list-sessions.ts'
import type { Session } from './session.shape.ts'
import { type SessionQuery, toStoredCount } from './session-query.ts'
import { type SessionRow, type StoreFields, toColumns, toSearchText, toSearchTitle } from './session-rows.ts'
import {
  ADDED_COLUMNS,
  type FoundTexts,
  type LoadedSessions,
  type SessionTable,
  type WantedPage,
} from './session-table.ts'
import { toPieces } from './session-texts.ts'
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
