/** What PostgreSQL does differently with sessions: it picks indexes by itself, and rows have the whole texts. */
import { all, answer, get, type Row, type Steps } from '../store/sql.ts'
import type { Session } from './session.shape.ts'
import { idsBeginningWith } from './session-id.ts'
import type { Facet, SessionQuery, SqlText } from './session-query.ts'
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
  COLUMNS,
  type FoundTexts,
  type LoadedSessions,
  type SessionTable,
  type WantedPage,
} from './session-table.ts'
import { isVisible } from './session-visibility.ts'

const INSERTED = [...ADDED_COLUMNS, 'machine', 'initial_prompt', 'system_prompt', 'search_text']
const INSERT = `INSERT INTO sessions (${INSERTED.join(', ')}) VALUES (${INSERTED.map(() => '?').join(', ')})`
const TEXTS = ['initial_prompt', 'system_prompt'] as const

const CONDITIONS: Readonly<Record<Facet, string>> = {
  backend: 'backend = ?',
  status: 'status = ?',
  model: 'model = ?',
  workdir: 'working_dir = ?',
  tag: 'tags::jsonb @> to_jsonb(CAST(? AS text))',
}

export class PostgresSessionTable implements SessionTable {
  readonly deletedAtOnce = 500
  readonly hasPieces = false
  readonly #machine: string

  /** `machine` is the name of this machine, which has the sessions that it adds. */
  constructor(machine: string) {
    this.#machine = machine
  }

  *add(session: Session, storeFields: StoreFields): Steps<void> {
    const columns: Record<string, unknown> = {
      ...toColumns(session, storeFields),
      machine: this.#machine,
      initial_prompt: session.initial_prompt,
      system_prompt: session.system_prompt,
      search_text: toSearchText(session),
    }
    yield* all(INSERT, ...INSERTED.map((name) => columns[name] ?? null))
  }

  *saveSearchTitle({ id }: SessionRow, title: string | undefined): Steps<void> {
    const sql = `UPDATE sessions SET search_text = ? || substr(search_text, strpos(search_text, chr(10)) + 1)
      WHERE id = ?`
    yield* all(sql, toSearchTitle(title), id)
  }

  *delete(ids: readonly string[]): Steps<void> {
    yield* all('DELETE FROM sessions WHERE id = ANY(?)', ids)
  }

  *findUnused(before: string, limit?: number): Steps<string[]> {
    const unused = 'SELECT id FROM sessions WHERE last_used < ? AND owner IS NULL ORDER BY last_used, id'
    const rows = yield* limit === undefined
      ? all(unused, before)
      : all(`${unused} LIMIT ? FOR UPDATE SKIP LOCKED`, before, limit)
    return rows.map((row) => String(row['id']))
  }

  *findPage(query: SessionQuery, { limit, offset, keyId }: WantedPage): Steps<LoadedSessions & { total: number }> {
    const { text, values } = toCondition(query, keyId)
    const counted = yield* get(`SELECT count(*) AS total FROM sessions WHERE ${text}`, ...values)
    const sql = `SELECT ${COLUMNS} FROM sessions WHERE ${text} ORDER BY last_used DESC, id DESC LIMIT ? OFFSET ?`
    const rows = yield* all(sql, ...values, limit, offset)
    return { sessions: rows.map((row) => toSession(asSessionRow(row))), rest: [], total: Number(counted?.['total']) }
  }

  load(): Steps<LoadedSessions> {
    return answer({ sessions: [], rest: [] })
  }

  *count(): Steps<number> {
    return Number((yield* get('SELECT count(*) AS total FROM sessions'))?.['total'])
  }

  findTexts(row: Row): Steps<FoundTexts> {
    const given = TEXTS.filter((name) => typeof row[name] === 'string')
    return answer({ pieces: given.map((name) => ({ name, part: 0, text: String(row[name]) })), more: [] })
  }
}

/** The condition of a query on the sessions that the key sees; `true` if it matches everything. */
function toCondition(query: SessionQuery, keyId: string | undefined): SqlText {
  const { facets, isResumable, since, until, needle } = query
  const conditions: SqlText[] = [
    isVisible(keyId),
    ...[...facets].map(([facet, value]) => ({ text: CONDITIONS[facet], values: [value] })),
    ...(isResumable === undefined
      ? []
      : [{ text: `backend_session_id IS ${isResumable ? 'NOT NULL' : 'NULL'}`, values: [] }]),
    ...(since === undefined ? [] : [{ text: 'last_used >= ?', values: [since] }]),
    ...(until === undefined ? [] : [{ text: 'last_used < ?', values: [until] }]),
    ...(needle === undefined ? [] : [hasText(needle, keyId)]),
  ]
  return {
    text: conditions.map(({ text }) => text).join(' AND '),
    values: conditions.flatMap(({ values }) => values),
  }
}

/** `LIKE` can use the index of trigrams. For a key only its sessions are read: the time must not tell what others have. */
function hasText(needle: string, keyId: string | undefined): SqlText {
  const pattern = `%${needle.replace(/[\\%_]/g, '\\$&')}%`
  const [inText, value] = keyId === undefined ? ['search_text LIKE ?', pattern] : ['strpos(search_text, ?) > 0', needle]
  const ids = idsBeginningWith(needle)
  if (ids === undefined) return { text: inText, values: [value] }
  return { text: `(${inText} OR (id >= ? AND id < ?))`, values: [value, ids.from, ids.below] }
}
