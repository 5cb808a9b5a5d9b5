import { orUndefined } from '../fault.ts'
import { type JsonPlace, type JsonReason, jsonInvalid } from '../faults.ts'
import { jsonLocation } from '../json-value.ts'

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

const TAB = 0x09
const LINE_FEED = 0x0a
const CARRIAGE_RETURN = 0x0d
const SPACE = 0x20

/** The read position in a JSON text, and the faults that report it. */
export class JsonCursor {
  readonly text: string
  /** The keys and indexes of the value being read, one per open object or array. */
  readonly path: (string | number)[] = []
  at = 0
  /** The first number written with a fraction or an exponent. */
  fraction: JsonPlace | undefined
  private readonly input: string

  constructor(input: string, text: string) {
    this.input = input
    this.text = text
  }

  /** Skips white space and returns the next UTF-16 unit, or NaN at the end of the text. */
  peek(): number {
    for (;;) {
      const unit = this.text.charCodeAt(this.at)
      if (unit !== SPACE && unit !== LINE_FEED && unit !== CARRIAGE_RETURN && unit !== TAB) return unit
      this.at++
    }
  }

  unexpected(expected: string) {
    const isEnd = this.at >= this.text.length
    return this.refusal('syntax', isEnd ? `it ends where ${expected} is expected` : `${expected} is expected`)
  }

  refusal(reason: JsonReason, problem: string, place = this.placeAt(this.at)) {
    return jsonInvalid({ input: this.input, reason, problem, place })
  }

  placeAt(offset: number): JsonPlace {
    let line = 1
    let lineStart = 0
    for (;;) {
      const feed = this.text.indexOf('\n', lineStart)
      if (feed < 0 || feed >= offset) break
      line++
      lineStart = feed + 1
    }
    return { location: jsonLocation(this.path), line, column: 1 + countCharacters(this.text.slice(lineStart, offset)) }
  }
}

/** Counts without spreading: a hostile text can be one line of many megabytes. */
function countCharacters(text: string): number {
  let count = 0
  for (const _character of text) count++
  return count
}
