/**
 * The texts of a session that may have megabytes. Its row has only their beginnings; the whole texts are stored in pieces,
 * so that no single read, write or deletion takes long.
 */
import { setImmediate as nextTurn } from 'node:timers/promises'
import type { SessionDatabase } from './database.ts'
import { sessionNotFound } from './faults.ts'
import type { Session } from './session.shape.ts'

export const TEXT_NAMES = ['initial_prompt', 'system_prompt'] as const
type TextName = (typeof TEXT_NAMES)[number]
type Texts = Pick<Session, TextName>

/** In characters. A text of this length has no pieces. */
export const START_LENGTH = 200
/** In UTF-16 units. */
const PIECE_LENGTH = 128 * 1024
/** How many pieces one transaction reads, writes or deletes. */
const AT_ONCE = 4

type Piece = { name: TextName; part: number; text: string }
type PieceKey = Omit<Piece, 'text'>

/** The first `START_LENGTH` characters of a text. */
export function startOf(text: string): string {
  // A character has at most two units.
  return text.length <= START_LENGTH ? text : [...text.slice(0, 2 * START_LENGTH)].slice(0, START_LENGTH).join('')
}

/** The pieces of the texts that are longer than their beginnings, in groups for one transaction each. */
export function toPieces(texts: Texts): Piece[][] {
  const pieces = TEXT_NAMES.flatMap((name) => {
    const text = texts[name] ?? ''
    return startOf(text) === text ? [] : splitText(text).map((each, part) => ({ name, part, text: each }))
  })
  return inGroups(pieces)
}

/** Splits between characters, never within a surrogate pair. */
export function splitText(text: string, length = PIECE_LENGTH): string[] {
  const pieces: string[] = []
  for (let start = 0; start < text.length; ) {
    const isPairCut = /^[\ud800-\udbff][\udc00-\udfff]$/.test(text.slice(start + length - 1, start + length + 1))
    const end = start + length - (isPairCut ? 1 : 0)
    pieces.push(text.slice(start, end))
    start = end
  }
  return pieces
}

/** The session with its whole texts. */
function withTexts(session: Session, pieces: readonly Piece[]): Session {
  const texts = TEXT_NAMES.flatMap((name) => {
    const own = pieces.filter((piece) => piece.name === name)
    return own.length === 0 ? [] : [[name, own.map(({ text }) => text).join('')]]
  })
  return { ...session, ...Object.fromEntries(texts) }
}

export function addPieces(database: SessionDatabase, id: string, pieces: readonly Piece[]): void {
  const sql = 'INSERT INTO session_texts (session, name, part, text) VALUES (?, ?, ?, ?)'
  for (const { name, part, text } of pieces) database.run(sql, id, name, part, text)
}

/** Deletes as many pieces as one transaction may, and notes that the rest is unwanted. */
export function deletePieces(database: SessionDatabase, id: string): void {
  const some = 'SELECT rowid FROM session_texts WHERE session = ? LIMIT ?'
  database.run(`DELETE FROM session_texts WHERE rowid IN (${some})`, id, AT_ONCE)
  const isRest = database.get('SELECT 1 FROM session_texts WHERE session = ? LIMIT 1', id) !== undefined
  const note = isRest
    ? 'INSERT OR IGNORE INTO unwanted_texts (session) VALUES (?)'
    : 'DELETE FROM unwanted_texts WHERE session = ?'
  database.run(note, id)
}

function inGroups<T>(all: readonly T[]): T[][] {
  const groups: T[][] = []
  for (let at = 0; at < all.length; at += AT_ONCE) groups.push(all.slice(at, at + AT_ONCE))
  return groups
}

type Transactions = {
  read<T>(work: () => T): Promise<T>
  write<T>(work: () => T): Promise<T>
}

/** The texts of one session: the first group of pieces, and where the others are. */
type FoundTexts = { pieces: Piece[]; more: PieceKey[][] }

/** Reads, writes and deletes pieces, a group per transaction. Other work runs in between. */
export class SessionTexts {
  readonly #database: SessionDatabase
  readonly #transactions: Transactions

  constructor(database: SessionDatabase, transactions: Transactions) {
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
