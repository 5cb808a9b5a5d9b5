import { digest } from '../kit/digest.ts'

/** Every line end as a line feed. */
export function withLineFeeds(text: string): string {
  return text.replace(/\r\n?/g, '\n')
}

/** A text from anywhere in one line of a message: control characters as escapes, line ends too. */
export function oneLine(text: string): string {
  return text.toWellFormed().replace(/\p{Cc}/gu, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
}

/** Whether a text can stand in a message: whole characters, and no control characters but tabs and line ends. */
export function isMarkdown(text: string): boolean {
  return text.isWellFormed() && !/[\p{Cc}--[\t\n\r]]/v.test(text)
}

export function isBlank(text: string): boolean {
  return text.trim() === ''
}

/** The bytes of a text as a JSON string, without the quotes. */
export function encodedBytes(text: string): number {
  return Buffer.byteLength(JSON.stringify(text)) - 2
}

/** Stands for the rest of a text that was cut; the digest is of the whole. */
export function truncationMark(text: string): string {
  return `...[truncated original_bytes=${Buffer.byteLength(text)} sha256=${digest(text).slice('sha256:'.length)}]`
}

/** The longest beginning of a text, in whole characters, that fits. The empty one has to. */
export function longestPrefix(text: string, fits: (prefix: string) => boolean): string {
  let [low, high] = [0, text.length]
  while (low < high) {
    const middle = Math.ceil((low + high) / 2)
    if (fits(wholeCharacters(text, middle))) low = middle
    else high = middle - 1
  }
  return wholeCharacters(text, low)
}

function wholeCharacters(text: string, end: number): string {
  const unit = text.charCodeAt(end - 1)
  const isHalf = unit >= 0xd800 && unit <= 0xdbff
  return text.slice(0, isHalf ? end - 1 : end)
}

/** A text of at most this many bytes: the whole, or its beginning and a mark that says how much it was. */
export function cutToBytes(text: string, limitBytes: number): string {
  if (Buffer.byteLength(text) <= limitBytes) return text
  const mark = truncationMark(text)
  return longestPrefix(text, (prefix) => Buffer.byteLength(prefix + mark) <= limitBytes) + mark
}
