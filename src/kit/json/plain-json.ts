/**
 * A document is plain if `JSON.parse` and the strict parser give the same result for it. Nearly all documents are, and
 * `JSON.parse` reads them several times faster. Five conditions guarantee it, all checked without a second parse:
 *
 * 1. `JSON.parse` accepts the text, so it follows the grammar of RFC 8259.
 * 2. It nests at most `MAX_JSON_DEPTH` deep.
 * 3. No escape starts with `\ud`. The text itself is well-formed, so there is no lone surrogate.
 * 4. It has as many colons outside strings as the value has members. A duplicate key has two colons but one member.
 * 5. No number has a fraction or an exponent, and none is past 2^53, where an integer may be rounded.
 */
import { orUndefined } from '../fault.ts'
import { isArray, type JsonValue, MAX_JSON_DEPTH } from '../json-value.ts'
import { closingQuote } from './json-string.ts'

const QUOTE = 0x22
const FULL_STOP = 0x2e
const ZERO = 0x30
const NINE = 0x39
const COLON = 0x3a
const CAPITAL_E = 0x45
const OPEN_BRACKET = 0x5b
const CLOSE_BRACKET = 0x5d
const SMALL_E = 0x65
const OPEN_BRACE = 0x7b
const CLOSE_BRACE = 0x7d

/** The digits of 2^53. A number with more digits exceeds it; one with as many may. */
const MAX_DIGITS = 16

/** The value of a plain document; undefined for any other text. */
export function parsePlainJson(text: string): JsonValue | undefined {
  if (text.includes('\\ud') || text.includes('\\uD')) return undefined
  const colons = countColons(text)
  if (colons === undefined) return undefined
  const value = orUndefined((): JsonValue => JSON.parse(text))
  return value !== undefined && countMembers(value) === colons ? value : undefined
}

/** The number of colons outside strings; undefined for deep nesting, a fraction, an exponent or a very long number. */
function countColons(text: string): number | undefined {
  let colons = 0
  let depth = 0
  let digits = 0
  for (let i = 0; i < text.length; i++) {
    const unit = text.charCodeAt(i)
    switch (unit) {
      case QUOTE:
        i = closingQuote(text, i) ?? text.length
        break
      case COLON:
        colons++
        break
      case OPEN_BRACE:
      case OPEN_BRACKET:
        if (++depth > MAX_JSON_DEPTH) return undefined
        break
      case CLOSE_BRACE:
      case CLOSE_BRACKET:
        depth--
        break
      case FULL_STOP:
      case CAPITAL_E:
        return undefined
      case SMALL_E:
        // An exponent follows a digit; otherwise it is the last letter of `true` or `false`.
        if (text.charCodeAt(i - 1) <= NINE) return undefined
        break
      default:
        // Checked here to avoid a useless parse. There is always a comma between two numbers.
        digits = withDigit(digits, unit)
        if (digits > MAX_DIGITS) return undefined
    }
  }
  return colons
}

/** The number of digits in a row, after reading one more unit. */
function withDigit(digits: number, unit: number): number {
  return unit >= ZERO && unit <= NINE ? digits + 1 : 0
}

/** The number of members of all objects in a value; NaN (equal to no count) if a number may have been rounded. */
function countMembers(value: JsonValue): number {
  if (typeof value === 'number') return Number.isSafeInteger(value) ? 0 : Number.NaN
  if (typeof value !== 'object' || value === null) return 0
  let members = 0
  if (isArray(value)) {
    for (const item of value) members += countMembers(item)
  } else {
    // `Object.values` is several times slower for objects with very many members.
    for (const key of Object.keys(value)) members += 1 + countMembers(value[key] as JsonValue)
  }
  return members
}
