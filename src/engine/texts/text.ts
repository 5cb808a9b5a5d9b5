import { digest } from '../../kit/digest.ts'

/** Converts all line endings to line feeds. */
export function withLineFeeds(text: string): string {
  return text.replace(/\r\n?/g, '\n')
}

/** Makes a text fit on one line of a message: control characters and line endings are escaped. */
export function oneLine(text: string): string {
  return text.toWellFormed().replace(/\p{Cc}/gu, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
}

/** Whether a text is valid `markdownText`: well-formed, without control characters except tabs and line endings. */
export function isMarkdown(text: string): boolean {
  return text.isWellFormed() && !/[\p{Cc}--[\t\n\r]]/v.test(text)
}

export function isBlank(text: string): boolean {
  return text.trim() === ''
}

/** The size of a text as a JSON string, without the quotes. */
export function encodedBytes(text: string): number {
  return Buffer.byteLength(JSON.stringify(text)) - 2
}

/** Replaces the rest of a cut text; the digest is that of the whole text. */
export function truncationMark(text: string): string {
  return `...[truncated original_bytes=${Buffer.byteLength(text)} sha256=${digest(text).slice('sha256:'.length)}]`
}

/** The longest prefix of whole characters that fits. The empty prefix must fit. */
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

/** Cuts a text to a number of bytes, including a mark with the original size. */
export function cutToBytes(text: string, limitBytes: number): string {
  if (Buffer.byteLength(text) <= limitBytes) return text
  const mark = truncationMark(text)
  return longestPrefix(text, (prefix) => Buffer.byteLength(prefix + mark) <= limitBytes) + mark
}
