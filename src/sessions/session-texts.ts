/**
 * The texts of a session that may have megabytes. Its row has only their beginnings; the whole texts are stored in pieces,
 * so that no single read, write or deletion takes long. Pure.
 */
import type { Session } from './session.shape.ts'

const TEXT_NAMES = ['initial_prompt', 'system_prompt'] as const
type TextName = (typeof TEXT_NAMES)[number]

/** In characters. A text of this length has no pieces. */
const START_LENGTH = 200
/** In UTF-16 units. */
const PIECE_LENGTH = 128 * 1024
/** How many pieces one transaction reads, writes or deletes. */
export const AT_ONCE = 2

export type Piece = { name: TextName; part: number; text: string }
export type PieceKey = Omit<Piece, 'text'>

/** The first `START_LENGTH` characters of a text. */
export function firstCharacters(text: string): string {
  // A character has at most two units.
  return text.length <= START_LENGTH ? text : [...text.slice(0, 2 * START_LENGTH)].slice(0, START_LENGTH).join('')
}

/** The pieces of the texts that are longer than their beginnings, in groups for one transaction each. */
export function toPieces(texts: Pick<Session, TextName>): Piece[][] {
  const pieces = TEXT_NAMES.flatMap((name) => {
    const text = texts[name] ?? ''
    return firstCharacters(text) === text ? [] : splitText(text).map((each, part) => ({ name, part, text: each }))
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
export function withTexts(session: Session, pieces: readonly Piece[]): Session {
  const texts = TEXT_NAMES.flatMap((name) => {
    const own = pieces.filter((piece) => piece.name === name)
    return own.length === 0 ? [] : [[name, own.map(({ text }) => text).join('')]]
  })
  return { ...session, ...Object.fromEntries(texts) }
}

export function inGroups<T>(all: readonly T[]): T[][] {
  const groups: T[][] = []
  for (let at = 0; at < all.length; at += AT_ONCE) groups.push(all.slice(at, at + AT_ONCE))
  return groups
}
