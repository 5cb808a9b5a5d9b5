/** Every line end as a line feed. Nothing else about the text changes: no trimming, no Unicode normalisation. */
export function normalizeLineEnds(text: string): string {
  return text.includes('\r') ? text.replace(/\r\n?/g, '\n') : text
}

/** A line without its line feed. `end` is where that is, or would be; lines are counted from 1. */
export type Line = { text: string; end: number; number: number }

/** The lines of a text one by one: a list of all lines of a large text would take more memory than the text. */
export function* linesOf(text: string): Generator<Line, void> {
  let start = 0
  for (let number = 1; start <= text.length; number++) {
    const feed = text.indexOf('\n', start)
    const end = feed === -1 ? text.length : feed
    yield { text: text.slice(start, end), end, number }
    start = end + 1
  }
}

/** Blank as the text types of the contract have it: nothing but white space. */
export function isBlank(text: string): boolean {
  return text.trim() === ''
}
