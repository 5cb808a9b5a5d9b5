/** Operations on session rows in PostgreSQL. */
import type { Row } from '../store/database.ts'
import type { Transaction } from '../store/postgres-database.ts'
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
import { ADDED_COLUMNS, CHANGING_COLUMNS, UPDATE } from './session-table.ts'
import { isVisible } from './session-visibility.ts'

const INSERTED = [...ADDED_COLUMNS, 'machine', 'initial_prompt', 'system_prompt', 'search_text']
const INSERT = `INSERT INTO sessions (${INSERTED.join(', ')}) VALUES (${INSERTED.map(() => '?').join(', ')})`

/** All but the whole texts. */
export const COLUMNS = ['number', ...ADDED_COLUMNS].join(', ')

/** The one session with this id or unique prefix, of those that the key sees, with its whole texts. */
export async function findRow(transaction: Transaction, idOrPrefix: string, keyId: string | undefined): Promise<Row> {
  return await findOne(transaction, { idOrPrefix, keyId, columns: '*' })
}

/** The same without the whole texts. Others wait until the transaction has ended. */
export async function lockOne(
  transaction: Transaction,
  idOrPrefix: string,
  keyId: string | undefined,
): Promise<SessionRow> {
  return asSessionRow(await findOne(transaction, { idOrPrefix, keyId, columns: COLUMNS, lock: 'FOR UPDATE' }))
}

type Wanted = { idOrPrefix: string; keyId: string | undefined; columns: string; lock?: string }

async function findOne(transaction: Transaction, { idOrPrefix, keyId, columns, lock = '' }: Wanted): Promise<Row> {
  const { from, below } = parseIdOrPrefix(idOrPrefix)
  const seen = isVisible(keyId)
  const where = `FROM sessions WHERE id >= ? AND id < ? AND ${seen.text}`
  const values = [from, below, ...seen.values]
  const [row, another] = await transaction.all(`SELECT ${columns} ${where} LIMIT 2 ${lock}`, ...values)
  if (row === undefined) throw sessionNotFound({ id: idOrPrefix })
  if (another === undefined) return row
  const counted = await transaction.get(`SELECT count(*) AS total ${where}`, ...values)
  throw sessionAmbiguous({ id: idOrPrefix, count: Number(counted?.['total']) })
}

export async function lockRow(transaction: Transaction, id: string): Promise<SessionRow | undefined> {
  const row = await transaction.get(`SELECT ${COLUMNS} FROM sessions WHERE id = ? FOR UPDATE`, id)
  return row && asSessionRow(row)
}

export async function lockOwnedBy(transaction: Transaction, owner: string): Promise<SessionRow[]> {
  const rows = await transaction.all(`SELECT ${COLUMNS} FROM sessions WHERE owner = ? FOR UPDATE`, owner)
  return rows.map(asSessionRow)
}

export async function addRow(
  transaction: Transaction,
  session: Session,
  { owner, machine, keyId }: { owner: string; machine: string; keyId: string | undefined },
): Promise<void> {
  const columns: Record<string, unknown> = {
    ...toColumns(session, { owner, threadUsage: undefined, keyId }),
    machine,
    initial_prompt: session.initial_prompt,
    system_prompt: session.system_prompt,
    search_text: toSearchText(session),
  }
  await transaction.all(INSERT, ...INSERTED.map((name) => columns[name] ?? null))
}

export async function saveRow(transaction: Transaction, session: Session, storeFields: StoreFields): Promise<void> {
  const columns = toColumns(session, storeFields)
  await transaction.all(UPDATE, ...CHANGING_COLUMNS.map((name) => columns[name] ?? null), session.id)
}

/** Call it after the title changed, because searches look in it. */
export async function saveSearchTitle(transaction: Transaction, { id, title }: Session): Promise<void> {
  const sql = `UPDATE sessions SET search_text = ? || substr(search_text, strpos(search_text, chr(10)) + 1)
    WHERE id = ?`
  await transaction.all(sql, toSearchTitle(title), id)
}
