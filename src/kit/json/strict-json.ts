import { type JsonValue, MAX_JSON_DEPTH } from '../json-value.ts'
import { JsonCursor, readString } from './json-string.ts'

const QUOTE = 0x22
const COMMA = 0x2c
const COLON = 0x3a
const OPEN_BRACKET = 0x5b
const CLOSE_BRACKET = 0x5d
const LETTER_F = 0x66
const LETTER_N = 0x6e
const LETTER_T = 0x74
const OPEN_BRACE = 0x7b
const CLOSE_BRACE = 0x7d

/** Applies every rule of `readJson` that concerns the text, and throws at the first position that breaks one. */
export function parseStrictJson(text: string, options: { input: string; numbers: 'integers' | 'any' }): JsonValue {
  const cursor = new JsonCursor(options.input, text)
  const value = readValue(cursor)
  if (!Number.isNaN(cursor.peek())) throw cursor.refusal('trailing_content', 'nothing may follow the value')
  if (cursor.fraction !== undefined && options.numbers === 'integers') {
    throw cursor.refusal('not_an_integer', 'write it as a whole number, without fraction or exponent', cursor.fraction)
  }
  return value
}

function readValue(cursor: JsonCursor): JsonValue {
  switch (cursor.peek()) {
    case QUOTE:
      return readString(cursor)
    case OPEN_BRACE:
      return readObject(cursor)
    case OPEN_BRACKET:
      return readArray(cursor)
    case LETTER_T:
      return readWord(cursor, 'true', true)
    case LETTER_F:
      return readWord(cursor, 'false', false)
    case LETTER_N:
      return readWord(cursor, 'null', null)
    default:
      return readNumber(cursor)
  }
}

function readObject(cursor: JsonCursor): JsonValue {
  const object: Record<string, JsonValue> = {}
  enter(cursor)
  if (cursor.peek() === CLOSE_BRACE) {
    cursor.at++
    return object
  }
  for (;;) {
    readMember(cursor, object)
    const unit = cursor.peek()
    if (unit !== COMMA && unit !== CLOSE_BRACE) throw cursor.unexpected('"," or "}"')
    cursor.at++
    if (unit === CLOSE_BRACE) return object
  }
}

function readMember(cursor: JsonCursor, object: Record<string, JsonValue>): void {
  if (cursor.peek() !== QUOTE) throw cursor.unexpected('a key in double quotes')
  const start = cursor.at
  const key = readString(cursor)
  cursor.path.push(key)
  if (Object.hasOwn(object, key)) {
    throw cursor.refusal('duplicate_key', 'the object has this key already', cursor.placeAt(start))
  }
  if (cursor.peek() !== COLON) throw cursor.unexpected('":"')
  cursor.at++
  addMember(object, key, readValue(cursor))
  cursor.path.pop()
}

function addMember(object: Record<string, JsonValue>, key: string, value: JsonValue): void {
  // Assigning to `__proto__` would change the prototype instead of adding a member.
  if (key === '__proto__') {
    Object.defineProperty(object, key, { value, enumerable: true, writable: true, configurable: true })
  } else {
    object[key] = value
  }
}

function readArray(cursor: JsonCursor): JsonValue {
  const array: JsonValue[] = []
  enter(cursor)
  if (cursor.peek() === CLOSE_BRACKET) {
    cursor.at++
    return array
  }
  for (;;) {
    cursor.path.push(array.length)
    array.push(readValue(cursor))
    cursor.path.pop()
    const unit = cursor.peek()
    if (unit !== COMMA && unit !== CLOSE_BRACKET) throw cursor.unexpected('"," or "]"')
    cursor.at++
    if (unit === CLOSE_BRACKET) return array
  }
}

/** Steps into an object or array. The depth limit also prevents a stack overflow. */
function enter(cursor: JsonCursor): void {
  if (cursor.path.length >= MAX_JSON_DEPTH) {
    throw cursor.refusal('too_deep', `objects and arrays may nest ${MAX_JSON_DEPTH} deep`)
  }
  cursor.at++
}

function readWord<Value>(cursor: JsonCursor, word: string, value: Value): Value {
  if (!cursor.text.startsWith(word, cursor.at)) throw cursor.unexpected('a value')
  cursor.at += word.length
  return value
}

const INTEGER = /-?(?:0|[1-9][0-9]*)/y
const FRACTION_OR_EXPONENT = /\.[0-9]+(?:[eE][+-]?[0-9]+)?|[eE][+-]?[0-9]+/y

/** Reads the number at the cursor; an integer that a number cannot hold exactly becomes a bigint. */
function readNumber(cursor: JsonCursor): number | bigint {
  const start = cursor.at
  if (!skip(cursor, INTEGER)) throw cursor.unexpected('a value')
  const isInteger = !skip(cursor, FRACTION_OR_EXPONENT)
  const literal = cursor.text.slice(start, cursor.at)
  const value = Number(literal)
  // Without this limit, converting a literal of millions of digits to a bigint would take more than linear time.
  if (!Number.isFinite(value)) {
    throw cursor.refusal('number_out_of_range', 'the largest number is about 1.79e308', cursor.placeAt(start))
  }
  if (!isInteger) cursor.fraction ??= cursor.placeAt(start)
  return isInteger && !Number.isSafeInteger(value) ? BigInt(literal) : value
}

function skip(cursor: JsonCursor, pattern: RegExp): boolean {
  pattern.lastIndex = cursor.at
  if (!pattern.test(cursor.text)) return false
  cursor.at = pattern.lastIndex
  return true
}
