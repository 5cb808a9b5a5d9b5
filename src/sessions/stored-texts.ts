/** Stores the pieces of long texts in SQLite (session-texts.ts). */
import { setImmediate as nextTurn } from 'node:timers/promises'
import { all, get, type Steps } from '../store/sql.ts'
import { sessionNotFound } from './faults.ts'
import type { Session } from './session.shape.ts'
import type { FoundTexts } from './session-table.ts'
import { AT_ONCE, inGroups, type Piece, type PieceKey, toPieces, withTexts } from './session-texts.ts'

export function* addPieces(id: string, pieces: readonly Piece[]): Steps<void> {
  const sql = 'INSERT INTO session_texts (session, name, part, text) VALUES (?, ?, ?, ?)'
  for (const { name, part, text } of pieces) yield* all(sql, id, name, part, text)
}

/** Deletes as many pieces as one transaction may, and notes that the rest is unwanted. */
export function* deletePieces(id: string): Steps<void> {
  const some = 'SELECT rowid FROM session_texts WHERE session = ? LIMIT ?'
  yield* all(`DELETE FROM session_texts WHERE rowid IN (${some})`, id, AT_ONCE)
  const isRest = (yield* get('SELECT 1 FROM session_texts WHERE session = ? LIMIT 1', id)) !== undefined
  const note = isRest
    ? 'INSERT OR IGNORE INTO unwanted_texts (session) VALUES (?)'
    : 'DELETE FROM unwanted_texts WHERE session = ?'
  yield* all(note, id)
}

export function* findPieces(id: string): Steps<FoundTexts> {
  const sql = 'SELECT name, part FROM session_texts WHERE session = ? ORDER BY name, part'
  const [first = [], ...more] = inGroups((yield* all(sql, id)) as PieceKey[])
  return { pieces: yield* loadPieces(id, first), more }
}

function* loadPieces(id: string, keys: readonly PieceKey[]): Steps<Piece[]> {
  const sql = 'SELECT text FROM session_texts WHERE session = ? AND name = ? AND part = ?'
  const pieces: Piece[] = []
  for (const { name, part } of keys) {
    const row = yield* get(sql, id, name, part)
    // The session was deleted meanwhile.
    if (row === undefined) throw sessionNotFound({ id })
    pieces.push({ name, part, text: String(row['text']) })
  }
  return pieces
}

type Transactions = {
  read<T>(work: () => Steps<T>): Promise<T>
  write<T>(work: () => Steps<T>): Promise<T>
}

/** Reads, writes and deletes pieces, a group per transaction. Other work runs in between. */
export class StoredTexts {
  readonly #transactions: Transactions

  constructor(transactions: Transactions) {
    this.#transactions = transactions
  }

  /** The session with its whole texts. */
  async complete(session: Session, { pieces, more }: FoundTexts): Promise<Session> {
    const found = [...pieces]
    for (const keys of more) {
      await nextTurn()
      found.push(...(await this.#transactions.read(() => loadPieces(session.id, keys))))
    }
    return withTexts(session, found)
  }

  /** The row was added with the first group. */
  async addRest(session: Session): Promise<void> {
    for (const pieces of toPieces(session).slice(1)) {
      await nextTurn()
      await this.#transactions.write(() => addPieces(session.id, pieces))
    }
  }

  /** Deletes the pieces of deleted sessions, also those that a process left that died meanwhile. */
  async deleteUnwanted(): Promise<void> {
    for (;;) {
      const row = await this.#transactions.read(() => get('SELECT session FROM unwanted_texts LIMIT 1'))
      if (row === undefined) return
      await this.#transactions.write(() => deletePieces(String(row['session'])))
      await nextTurn()
    }
  }
}
