/** Operations on session rows. Call them inside a transaction. */
import type { StoreDatabase } from '../store/database.ts'
import { sessionAmbiguous, sessionNotFound } from './faults.ts'
import type { Session } from './session.shape.ts'
import { parseIdOrPrefix } from './session-id.ts'
import {
  asSessionRow,
  type SessionRow,
  type StoreFields,
  toColumns,
  toSearchText,
  toSearchTitle,
} from './session-rows.ts'
import { isVisible } from './session-visibility.ts'
import { deletePieces } from './stored-texts.ts'

/** The columns that may change after a session was created. */
export const CHANGING_COLUMNS = [
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
export const ADDED_COLUMNS = [...FIXED, ...CHANGING_COLUMNS]
const INSERT = `INSERT INTO sessions (${ADDED_COLUMNS.join(', ')}) VALUES (${ADDED_COLUMNS.map(() => '?').join(', ')})`
export const UPDATE = `UPDATE sessions SET ${CHANGING_COLUMNS.map((name) => `${name} = ?`).join(', ')} WHERE id = ?`

/** Finds the one session with this id or unique prefix, of those that the key sees. */
export function findRow(database: StoreDatabase, idOrPrefix: string, keyId: string | undefined): SessionRow {
  const { from, below } = parseIdOrPrefix(idOrPrefix)
  const seen = isVisible(keyId)
  const where = `FROM sessions WHERE id >= ? AND id < ? AND ${seen.text}`
  const values = [from, below, ...seen.values]
  const [row, another] = database.all(`SELECT * ${where} LIMIT 2`, ...values)
  if (row === undefined) throw sessionNotFound({ id: idOrPrefix })
  if (another === undefined) return asSessionRow(row)
  const count = Number(database.get(`SELECT count(*) AS total ${where}`, ...values)?.['total'])
  throw sessionAmbiguous({ id: idOrPrefix, count })
}

export function loadRow(database: StoreDatabase, id: string): SessionRow | undefined {
  const row = database.get('SELECT * FROM sessions WHERE id = ?', id)
  return row && asSessionRow(row)
}

/** Without the pieces of its texts. */
export function addRow(database: StoreDatabase, session: Session, storeFields: StoreFields): void {
  const columns = toColumns(session, storeFields)
  database.run(INSERT, ...ADDED_COLUMNS.map((name) => columns[name] ?? null))
  database.run('INSERT INTO session_search (rowid, text) VALUES (last_insert_rowid(), ?)', toSearchText(session))
}

export function saveRow(database: StoreDatabase, session: Session, storeFields: StoreFields): void {
  const columns = toColumns(session, storeFields)
  database.run(UPDATE, ...CHANGING_COLUMNS.map((name) => columns[name] ?? null), session.id)
}

/** Call it after the title changed, because searches look in it. */
export function saveSearchTitle(database: StoreDatabase, number: number, title: string | undefined): void {
  const sql = 'UPDATE session_search SET text = ? || substr(text, instr(text, char(10)) + 1) WHERE rowid = ?'
  database.run(sql, toSearchTitle(title), number)
}

/** Also deletes the first pieces of its texts. `findUnwanted` finds the rest. */
export function deleteRow(database: StoreDatabase, id: string): void {
  database.run('DELETE FROM sessions WHERE id = ?', id)
  deletePieces(database, id)
}

/** Sessions without a running turn, last used before a time, oldest first. */
export function findUnused(database: StoreDatabase, before: string, limit: number): string[] {
  const sql = `SELECT id FROM sessions INDEXED BY sessions_by_use WHERE last_used < ? AND owner IS NULL
    ORDER BY last_used, id LIMIT ?`
  return database.all(sql, before, limit).map((row) => String(row['id']))
}

/** The processes that own a running turn. */
export function findOwners(database: StoreDatabase): string[] {
  return database.all('SELECT DISTINCT owner FROM sessions WHERE owner IS NOT NULL').map((row) => String(row['owner']))
}

export function findOwnedBy(database: StoreDatabase, owner: string): SessionRow[] {
  return database.all('SELECT * FROM sessions WHERE owner = ?', owner).map(asSessionRow)
}
