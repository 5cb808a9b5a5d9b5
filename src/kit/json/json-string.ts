import { orUndefined } from '../fault.ts'
import type { JsonCursor } from './json-cursor.ts'

const QUOTE = 0x22
const BACKSLASH = 0x5c

/** A valid escape, or something invalid in a string: a control character, or a backslash without a valid escape. */
const ESCAPE_OR_ERROR = /\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})|[^\u0020-\uffff]|\\/g

/** Up to this length, comparing each character is faster than `indexOf`. */
const SHORT = 16

/**
 * Reads the string whose opening quote is at the cursor. `JSON.parse` gets exactly one string literal; it follows RFC
 * 8259 for those, except that it accepts lone surrogates.
 */
export function readString(cursor: JsonCursor): string {
  const { text, at: open } = cursor
  const close = closingQuote(text, open)
  const value = close === undefined ? undefined : parseLiteral(text.slice(open, close + 1))
  if (close === undefined || value === undefined) throw invalidString(cursor)
  if (!value.isWellFormed()) {
    throw cursor.refusal('lone_surrogate', 'a lone surrogate is not a character; write both halves of the pair')
  }
  cursor.at = close + 1
  return value
}

/** The quote that ends the string which the quote at `open` starts: the next one that no backslash escapes. */
export function closingQuote(text: string, open: number): number | undefined {
  for (let i = open + 1; i <= open + SHORT; i++) {
    const unit = text.charCodeAt(i)
    if (unit === QUOTE) return i
    if (unit === BACKSLASH) break
  }
  let quote = text.indexOf('"', open + 1)
  while (quote >= 0 && isEscaped(text, quote)) quote = text.indexOf('"', quote + 1)
  return quote < 0 ? undefined : quote
}

/** An odd number of backslashes before a quote: the last of them is not itself escaped. */
function isEscaped(text: string, quote: number): boolean {
  let before = quote - 1
  while (text.charCodeAt(before) === BACKSLASH) before--
  return (quote - before) % 2 === 0
}

function parseLiteral(literal: string): string | undefined {
  return orUndefined(() => JSON.parse(literal))
}

/** Moves the cursor to the error in the string, and returns the fault. */
function invalidString(cursor: JsonCursor) {
  ESCAPE_OR_ERROR.lastIndex = cursor.at + 1
  let found = ESCAPE_OR_ERROR.exec(cursor.text)
  while (found !== null && found[0].length > 1) found = ESCAPE_OR_ERROR.exec(cursor.text)
  cursor.at = found?.index ?? cursor.text.length
  if (found === null) return cursor.unexpected('the closing quote of a string')
  return cursor.unexpected(found[0] === '\\' ? 'a valid JSON escape' : 'an escape instead of a control character')
}
