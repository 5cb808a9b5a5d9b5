/** Operations on session rows. Where the two databases differ, see `SessionTable`. */
import { all, get, type Row, type Steps } from '../store/sql.ts'
import { sessionAmbiguous, sessionNotFound } from './faults.ts'
import type { Session } from './session.shape.ts'
import { parseIdOrPrefix } from './session-id.ts'
import type { SessionQuery } from './session-query.ts'
import { asSessionRow, type SessionRow, type StoreFields, toColumns } from './session-rows.ts'
import type { Piece, PieceKey } from './session-texts.ts'
import { isVisible } from './session-visibility.ts'

/** The columns that may change after a session was created. */
const CHANGING = [
  'status',
  'last_used',
  'backend_session_id',
  'model',
  'turn_count',
  'input_tokens',
  'output_tokens',
  'cached_tokens',
  'reasoning_tokens',
  'thread_usage',
  'tags',
  'metadata',
  'title',
  'error_message',
  'owner',
  'is_shared',
] as const

/** The columns that stay as they were. */
const FIXED = [
  ...['id', 'backend', 'created_at', 'working_dir', 'initial_prompt_start', 'system_prompt_start'],
  ...['parent_id', 'is_demo', 'policy', 'key_id', 'api_key'],
]

// Written once: for SQL that is put together for every row, looking up the statement takes longer than running it.
export const ADDED_COLUMNS = [...FIXED, ...CHANGING]
/** All but the whole texts. */
export const COLUMNS = ['number', ...ADDED_COLUMNS].join(', ')
const BY_ID = `SELECT ${COLUMNS} FROM sessions WHERE id = ? FOR UPDATE`
const BY_OWNER = `SELECT ${COLUMNS} FROM sessions WHERE owner = ? FOR UPDATE`
const ENDED_BY = `SELECT ${COLUMNS} FROM sessions WHERE id = ? AND owner IS NULL AND status = 'completed' AND last_used >= ?
  AND NOT EXISTS (SELECT 1 FROM executions e WHERE e.session_id = sessions.id AND e.number > ?) FOR UPDATE`
const UPDATE = `UPDATE sessions SET ${CHANGING.map((name) => `${name} = ?`).join(', ')} WHERE id = ?`

export type WantedPage = { limit: number; offset: number; keyId: string | undefined }

/** Sessions of a page, and the numbers of those that there was no time for. */
export type LoadedSessions = { sessions: Session[]; rest: readonly number[] }

/** The texts of one session: the first pieces, and where the others are. */
export type FoundTexts = { pieces: readonly Piece[]; more: readonly PieceKey[][] }

/** What the two databases do differently. */
export type SessionTable = {
  /** How many sessions one transaction deletes. */
  readonly deletedAtOnce: number
  /** Long texts are in pieces outside of their rows (session-texts.ts). */
  readonly hasPieces: boolean
  /** Adds a row with the text that searches look in, and the first pieces of its texts. */
  add(session: Session, storeFields: StoreFields): Steps<void>
  /** Call it after the title changed, because searches look in it. */
  saveSearchTitle(row: SessionRow, title: string | undefined): Steps<void>
  delete(ids: readonly string[]): Steps<void>
  /** Sessions without a running turn, last used before a time, oldest first. With `limit`, those to delete. */
  findUnused(before: string, limit?: number): Steps<string[]>
  /** The sessions of a page that the key sees, and how many match. */
  findPage(query: SessionQuery, page: WantedPage): Steps<LoadedSessions & { total: number }>
  /** The rest of a page. */
  load(numbers: readonly number[]): Steps<LoadedSessions>
  count(): Steps<number>
  /** `row` has all columns. */
  findTexts(row: Row): Steps<FoundTexts>
}

export type WantedSession = { idOrPrefix: string; keyId?: string | undefined }

/** How the one session with an id or a unique prefix is read, of those that a key sees. */
const WHOLE = { columns: '*', lock: '' }
const PLAIN = { columns: COLUMNS, lock: '' }
const LOCKED = { columns: COLUMNS, lock: ' FOR UPDATE' }

/** With its whole texts, if its row has them. */
export function findWhole(wanted: WantedSession): Steps<SessionRow> {
  return findOne(wanted, WHOLE)
}

export function findRow(wanted: WantedSession): Steps<SessionRow> {
  return findOne(wanted, PLAIN)
}

export function lockFound(wanted: WantedSession): Steps<SessionRow> {
  return findOne(wanted, LOCKED)
}

function* findOne({ idOrPrefix, keyId }: WantedSession, { columns, lock }: typeof WHOLE): Steps<SessionRow> {
  const { from, below } = parseIdOrPrefix(idOrPrefix)
  const seen = isVisible(keyId)
  const where = `FROM sessions WHERE id >= ? AND id < ? AND ${seen.text}`
  const values = [from, below, ...seen.values]
  const [row, another] = yield* all(`SELECT ${columns} ${where} LIMIT 2${lock}`, ...values)
  if (row === undefined) throw sessionNotFound({ id: idOrPrefix })
  if (another === undefined) return asSessionRow(row)
  const counted = yield* get(`SELECT count(*) AS total ${where}`, ...values)
  throw sessionAmbiguous({ id: idOrPrefix, count: Number(counted?.['total']) })
}

export function* lockRow(id: string): Steps<SessionRow | undefined> {
  const row = yield* get(BY_ID, id)
  return row && asSessionRow(row)
}

/** An execution that is lost, and the session whose turn it ran. */
export type LostTurn = { number: number; session: string; startedAt: string }

/** The session, if its turn ended although the end of the execution was not stored, and no other turn followed. */
export function* lockEndedBy({ number, session, startedAt }: LostTurn): Steps<SessionRow | undefined> {
  const row = yield* get(ENDED_BY, session, startedAt, number)
  return row && asSessionRow(row)
}

export function* lockOwnedBy(owner: string): Steps<SessionRow[]> {
  return (yield* all(BY_OWNER, owner)).map(asSessionRow)
}

/** The processes that own a running turn. */
export function* findOwners(): Steps<string[]> {
  const rows = yield* all('SELECT DISTINCT owner FROM sessions WHERE owner IS NOT NULL')
  return rows.map((row) => String(row['owner']))
}

export function* saveRow(session: Session, storeFields: StoreFields): Steps<void> {
  const columns = toColumns(session, storeFields)
  yield* all(UPDATE, ...CHANGING.map((name) => columns[name] ?? null), session.id)
}
