import type { JsonCursor } from './json-cursor.ts'

const INTEGER = /-?(?:0|[1-9][0-9]*)/y
const FRACTION_OR_EXPONENT = /\.[0-9]+(?:[eE][+-]?[0-9]+)?|[eE][+-]?[0-9]+/y

/** Reads the number at the cursor; an integer that a number cannot hold exactly becomes a bigint. */
export function readNumber(cursor: JsonCursor): number | bigint {
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
