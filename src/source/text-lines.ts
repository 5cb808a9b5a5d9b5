/** Converts CRLF and CR to LF. Does not trim, and does not normalize Unicode. */
export function normalizeLineEnds(text: string): string {
  return text.includes('\r') ? text.replace(/\r\n?/g, '\n') : text
}

/** A line without its line feed. `end` is the offset of the line feed or of the end of the text. Lines count from 1. */
export type Line = { text: string; end: number; number: number }

/** Yields the lines one by one: an array of all lines would take more memory than the text. */
export function* readTextLines(text: string): Generator<Line, void> {
  let start = 0
  for (let number = 1; start <= text.length; number++) {
    const feed = text.indexOf('\n', start)
    const end = feed === -1 ? text.length : feed
    yield { text: text.slice(start, end), end, number }
    start = end + 1
  }
}

/** A line of Unicode white space. A byte order mark, which JavaScript trims, is none: it is text that cannot be seen. */
export function isBlankLine(text: string): boolean {
  return !/\P{White_Space}/u.test(text)
}

/** Blank as the contract defines it: only what JavaScript takes for white space. */
export function isBlank(text: string): boolean {
  return text.trim() === ''
}
