/**
 * Writes a large JSON value in pieces, so that writing megabytes never blocks the event loop for long. Joined, the pieces
 * are the text that `toJsonText` gives.
 */
import { setImmediate as nextTurn } from 'node:timers/promises'
import { toJsonText } from './write-json.ts'

/** In UTF-16 units. Writing as many takes at most some milliseconds, even if each has to be escaped. */
const PIECE_LENGTH = 64 * 1024
/** Members of deeper objects and arrays are written in one piece. */
const MAX_DEPTH = 6

/** Yields pieces of about the same length, and lets other work run in between. */
export async function* jsonPieces(value: unknown): AsyncGenerator<string, void, undefined> {
  let piece = ''
  for (const text of writeValue(value, MAX_DEPTH)) {
    piece += text
    if (piece.length < PIECE_LENGTH) continue
    yield piece
    piece = ''
    await nextTurn()
  }
  if (piece !== '') yield piece
}

/** The text of a value if it fits into one piece. */
export function shortJsonText(value: unknown): string | undefined {
  let whole = ''
  for (const text of writeValue(value, MAX_DEPTH)) {
    whole += text
    if (whole.length > PIECE_LENGTH) return undefined
  }
  return whole
}

function* writeValue(value: unknown, depth: number): Generator<string, void, undefined> {
  if (typeof value === 'string' && value.length > PIECE_LENGTH) yield* textsOfString(value)
  else if (depth === 0 || typeof value !== 'object' || value === null) yield toJsonText(value) ?? 'null'
  else if (Array.isArray(value)) yield* textsOfArray(value, depth)
  else yield* textsOfObject(value, depth)
}

function* textsOfArray(array: readonly unknown[], depth: number): Generator<string, void, undefined> {
  for (const [at, item] of array.entries()) {
    yield at === 0 ? '[' : ','
    yield* writeValue(item, depth - 1)
  }
  yield array.length === 0 ? '[]' : ']'
}

function* textsOfObject(object: object, depth: number): Generator<string, void, undefined> {
  let separator = '{'
  for (const [key, member] of Object.entries(object)) {
    if (member === undefined) continue
    yield `${separator}${JSON.stringify(key)}:`
    yield* writeValue(member, depth - 1)
    separator = ','
  }
  yield separator === '{' ? '{}' : '}'
}

function* textsOfString(text: string): Generator<string, void, undefined> {
  yield '"'
  for (let start = 0; start < text.length; ) {
    const end = start + PIECE_LENGTH
    // Half a surrogate pair would be escaped.
    const last = text.codePointAt(end - 1) ?? 0
    const part = text.slice(start, last > 0xffff ? end + 1 : end)
    yield JSON.stringify(part).slice(1, -1)
    start += part.length
  }
  yield '"'
}
