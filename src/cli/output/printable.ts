/** Makes text safe to show on a terminal, and measures and cuts it by terminal columns. */
import { createRequire } from 'node:module'
import { toPrintable } from '../../kit/printable-text.ts'

export { toPrintable }

/** For a message of drover: further lines are indented, so that none of them looks like another message. */
export function toMessage(text: string): string {
  return toPrintable(text).trimEnd().replaceAll('\n', '\n  ')
}

/** The printable text for a terminal; files and pipes get the text unchanged. */
export function toShown(text: string, { isTty }: { readonly isTty: boolean }): string {
  return isTty ? toPrintable(text) : text
}

/** No visible character has more code units per column than this. Longer texts are cut before they are measured. */
const UNITS_PER_COLUMN = 32

/** Puts the text on one line and shortens it to `columns`. */
export function toOneLine(text: string, columns: number): string {
  const plain = toPrintable(text).replace(/\s+/g, ' ').trim()
  const fits = plain.length <= UNITS_PER_COLUMN * columns && countColumns(plain) <= columns
  return fits ? plain : `${cutToColumns(plain, columns - 1)}…`
}

export function countColumns(text: string): number {
  return isPlain(text) ? text.length : measureWidth(text)
}

/** The longest beginning that fits into `columns`. Graphemes stay whole. */
export function cutToColumns(text: string, columns: number): string {
  const beginning = text.slice(0, UNITS_PER_COLUMN * Math.max(columns, 0)).replace(/[\ud800-\udbff]$/, '')
  const [piece = ''] = splitToColumns(beginning, columns)
  return countColumns(piece) <= columns ? piece : ''
}

/** Splits the text into pieces of at most `columns`. Each piece has at least one grapheme, even if that is wider. */
export function splitToColumns(text: string, columns: number): string[] {
  const pieces: string[] = []
  let width = Number.POSITIVE_INFINITY
  for (const grapheme of splitGraphemes(text)) {
    const columnsOfGrapheme = countColumns(grapheme)
    width += columnsOfGrapheme
    if (width > columns) {
      pieces.push('')
      width = columnsOfGrapheme
    }
    pieces[pieces.length - 1] += grapheme
  }
  return pieces
}

export function padToColumns(text: string, columns: number): string {
  return text + ' '.repeat(Math.max(0, columns - countColumns(text)))
}

/** One column per code unit. */
function isPlain(text: string): boolean {
  return /^[\x20-\x7e]*$/.test(text)
}

let segmenter: Intl.Segmenter | undefined

/** Creates the segmenter on first use: that takes longer than most commands. */
function splitGraphemes(text: string): string[] {
  if (isPlain(text)) return [...text]
  segmenter ??= new Intl.Segmenter(undefined, { granularity: 'grapheme' })
  return Array.from(segmenter.segment(text), ({ segment }) => segment)
}

let measure: ((text: string) => number) | undefined

/** Loads string-width on first use: that takes longer than most commands, and most output is ASCII. */
function measureWidth(text: string): number {
  measure ??= (createRequire(import.meta.url)('string-width') as typeof import('string-width')).default
  return measure(text)
}
