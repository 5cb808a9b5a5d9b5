/** Stores the pieces of long texts (session-texts.ts). */
import { setImmediate as nextTurn } from 'node:timers/promises'
import type { StoreDatabase } from '../store/database.ts'
import { sessionNotFound } from './faults.ts'
import type { Session } from './session.shape.ts'
import { AT_ONCE, inGroups, type Piece, type PieceKey, withTexts } from './session-texts.ts'

export function addPieces(database: StoreDatabase, id: string, pieces: readonly Piece[]): void {
  const sql = 'INSERT INTO session_texts (session, name, part, text) VALUES (?, ?, ?, ?)'
  for (const { name, part, text } of pieces) database.run(sql, id, name, part, text)
}

/** Deletes as many pieces as one transaction may, and notes that the rest is unwanted. */
export function deletePieces(database: StoreDatabase, id: string): void {
  const some = 'SELECT rowid FROM session_texts WHERE session = ? LIMIT ?'
  database.run(`DELETE FROM session_texts WHERE rowid IN (${some})`, id, AT_ONCE)
  const isRest = database.get('SELECT 1 FROM session_texts WHERE session = ? LIMIT 1', id) !== undefined
  const note = isRest
    ? 'INSERT OR IGNORE INTO unwanted_texts (session) VALUES (?)'
    : 'DELETE FROM unwanted_texts WHERE session = ?'
  database.run(note, id)
}

type Transactions = {
  read<T>(work: () => T): Promise<T>
  write<T>(work: () => T): Promise<T>
}

/** The texts of one session: the first group of pieces, and where the others are. */
type FoundTexts = { pieces: Piece[]; more: PieceKey[][] }

/** Reads, writes and deletes pieces, a group per transaction. Other work runs in between. */
export class StoredTexts {
  readonly #database: StoreDatabase
  readonly #transactions: Transactions

  constructor(database: StoreDatabase, transactions: Transactions) {
    this.#database = database
    this.#transactions = transactions
  }

  /** Call it inside a transaction. */
  find(id: string): FoundTexts {
    const sql = 'SELECT name, part FROM session_texts WHERE session = ? ORDER BY name, part'
    const [first = [], ...more] = inGroups(this.#database.all(sql, id) as PieceKey[])
    return { pieces: this.#load(id, first), more }
  }

  /** The session with its whole texts. */
  async complete(session: Session, { pieces, more }: FoundTexts): Promise<Session> {
    const all = [...pieces]
    for (const keys of more) {
      await nextTurn()
      all.push(...(await this.#transactions.read(() => this.#load(session.id, keys))))
    }
    return withTexts(session, all)
  }

  async add(id: string, groups: readonly (readonly Piece[])[]): Promise<void> {
    for (const pieces of groups) {
      await nextTurn()
      await this.#transactions.write(() => addPieces(this.#database, id, pieces))
    }
  }

  /** Deletes the pieces of deleted sessions, also those that a process left that died meanwhile. */
  async deleteUnwanted(): Promise<void> {
    for (;;) {
      const row = await this.#transactions.read(() => this.#database.get('SELECT session FROM unwanted_texts LIMIT 1'))
      if (row === undefined) return
      await this.#transactions.write(() => deletePieces(this.#database, String(row['session'])))
      await nextTurn()
    }
  }

  #load(id: string, keys: readonly PieceKey[]): Piece[] {
    const sql = 'SELECT text FROM session_texts WHERE session = ? AND name = ? AND part = ?'
    return keys.map(({ name, part }) => {
      const row = this.#database.get(sql, id, name, part)
      // The session was deleted meanwhile.
      if (row === undefined) throw sessionNotFound({ id })
      return { name, part, text: String(row['text']) }
    })
  }
}
