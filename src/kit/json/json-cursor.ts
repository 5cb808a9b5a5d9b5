import { type JsonPlace, type JsonReason, jsonInvalid } from '../faults.ts'
import { jsonLocation } from '../json-location.ts'

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
