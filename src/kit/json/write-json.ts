/**
 * Writes JSON that `readJson` reads back as the same value, except that -0 becomes 0. A value that JSON cannot express
 * is a bug of the caller and throws a TypeError, where `JSON.stringify` would drop or replace it: undefined (also as a
 * member), NaN and infinities, functions, symbols, class instances and lone surrogates. A value nested deeper than
 * `readJson` accepts throws too, which also catches circular values.
 */

import { setImmediate as nextTurn } from 'node:timers/promises'
import { isArray, type JsonObject, type JsonValue, jsonLocation, MAX_JSON_DEPTH } from '../json-value.ts'
import { compareBytes } from '../utf8.ts'

/** The same text as `JSON.stringify`, with members in the order of the value; bigints become integer literals. */
export function writeJson(value: JsonValue): string {
  return write(value, { indent: '', isSorted: false, path: [] })
}

/** Canonical JSON: compact, with members sorted by the UTF-8 bytes of their keys, so that equal values give equal texts. */
export function writeCanonicalJson(value: JsonValue): string {
  return write(value, { indent: '', isSorted: true, path: [] })
}

/** For files that people open: two spaces per level, members in the order of the value, no final line feed. */
export function writeIndentedJson(value: JsonValue): string {
  return write(value, { indent: '  ', isSorted: false, path: [] })
}

type Writing = { readonly indent: string; readonly isSorted: boolean; readonly path: (string | number)[] }

function write(value: JsonValue, writing: Writing): string {
  switch (typeof value) {
    case 'string':
      return writeText(value, writing)
    case 'number':
      if (!Number.isFinite(value)) throw unwritable(writing, `${value}`)
      return `${value}`
    case 'bigint':
    case 'boolean':
      return `${value}`
    case 'object':
      return value === null ? 'null' : writeNested(value, writing)
    default:
      throw unwritable(writing, typeof value)
  }
}

function writeText(text: string, writing: Writing): string {
  if (!text.isWellFormed()) throw unwritable(writing, 'a text with a lone surrogate')
  return JSON.stringify(text)
}

function writeNested(value: readonly JsonValue[] | JsonObject, writing: Writing): string {
  if (writing.path.length >= MAX_JSON_DEPTH) {
    throw unwritable(writing, `more than ${MAX_JSON_DEPTH} levels, or a value that holds itself`)
  }
  return isArray(value) ? writeArray(value, writing) : writeObject(value, writing)
}

function writeArray(array: readonly JsonValue[], writing: Writing): string {
  // `map` would skip the holes of a sparse array.
  const parts = Array.from(array, (value, index) => inside(index, value, writing))
  return enclose('[]', parts, writing)
}

function writeObject(object: JsonObject, writing: Writing): string {
  const prototype = Object.getPrototypeOf(object)
  if (prototype !== Object.prototype && prototype !== null) throw unwritable(writing, 'an instance of a class')
  const keys = Object.keys(object)
  if (writing.isSorted) keys.sort(compareBytes)
  const colon = writing.indent === '' ? ':' : ': '
  const parts = keys.map((key) => {
    const member = inside(key, object[key] as JsonValue, writing)
    return `${writeText(key, writing)}${colon}${member}`
  })
  return enclose('{}', parts, writing)
}

function inside(step: string | number, value: JsonValue, writing: Writing): string {
  writing.path.push(step)
  const text = write(value, writing)
  writing.path.pop()
  return text
}

function enclose(brackets: '[]' | '{}', parts: readonly string[], writing: Writing): string {
  const [open, close] = brackets
  if (writing.indent === '' || parts.length === 0) return `${open}${parts.join(',')}${close}`
  const margin = `\n${writing.indent.repeat(writing.path.length)}`
  return `${open}${margin}${writing.indent}${parts.join(`,${margin}${writing.indent}`)}${margin}${close}`
}

function unwritable(writing: Writing, what: string): TypeError {
  return new TypeError(`${jsonLocation(writing.path)} cannot be written as JSON: ${what}`)
}

/**
 * The text that `JSON.stringify` gives, where bigints become integer literals. `writeJson` is stricter: it refuses values
 * that were not read from JSON, such as half a surrogate pair in the answer of an agent.
 */
export function toJsonText(value: unknown): string {
  try {
    return JSON.stringify(value)
  } catch (error) {
    // Only a bigint is worth a second try, which takes several times as long.
    if (!(error instanceof TypeError)) throw error
    return JSON.stringify(value, (_key, part: unknown) => (typeof part === 'bigint' ? literal(part) : part))
  }
}

/** `JSON.rawJSON` is newer than the types of TypeScript's library. */
function literal(integer: bigint): unknown {
  return (JSON as unknown as { rawJSON(text: string): unknown }).rawJSON(String(integer))
}

/** In UTF-16 units. Writing as many takes at most some milliseconds, even if each has to be escaped. */
const PIECE_LENGTH = 64 * 1024
/** Members of deeper objects and arrays are written in one piece. */
const MAX_DEPTH = 6

/**
 * Writes a large value in pieces of about the same length, and lets other work run in between, so that megabytes never block
 * the event loop for long. Joined, the pieces are the text that `toJsonText` gives.
 */
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
