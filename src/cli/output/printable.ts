/** Makes text safe to show on a terminal, and measures and cuts it by terminal columns. */
import { createRequire } from 'node:module'

/** Control characters, line separators, and invisible marks that reverse the direction of text. */
const UNSAFE = /[\p{Cc}\u2028\u2029\u061c\u200e\u200f\u202a-\u202e\u2066-\u206f]/gu

/**
 * Removes control characters except line breaks and tabs. The output of a model must not move the cursor, set the title,
 * fill the clipboard, or look different from what it contains.
 */
export function toPrintable(text: string): string {
  return text.replace(/\r\n/g, '\n').replace(UNSAFE, (character) => (/[\n\t]/.test(character) ? character : ''))
}

/** For a message of drover: further lines are indented, so that none of them looks like another message. */
export function toMessage(text: string): string {
  return toPrintable(text).trimEnd().replaceAll('\n', '\n  ')
}

/** Everything that cannot be seen. */
const HIDDEN = /[\p{Cc}\p{Default_Ignorable_Code_Point}\u2028\u2029\ufff9-\ufffb]/gu

/** Characters that look like spaces and are none, next to each other: they can move text to where it is not expected. */
const BLANKS = /(?:(?![ \u3000])[\p{Zs}\u2800] *){2,}/gu

/** Shows characters that cannot be seen as escapes, for texts that a user decides about. */
export function toRevealed(text: string): string {
  const reveal = (character: string, at: number) =>
    character === '\n' || isJoined(character, text[at - 1]) ? character : escapeOf(character)
  return text.replace(HIDDEN, reveal).replace(BLANKS, (run) => run.replace(/[^ ]/gu, escapeOf))
}

/** Joiners and variants belong to the letter or the emoji before them. */
function isJoined(character: string, before = ''): boolean {
  return /[\u200c-\u200d]|[\ufe00-\ufe0f]/.test(character) && before > '\x7f' && before !== character
}

function escapeOf(character: string): string {
  const code = (character.codePointAt(0) ?? 0).toString(16)
  if (character === '\t') return '  '
  return code.length > 4 ? `\\u{${code}}` : `\\u${code.padStart(4, '0')}`
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
  const fits = plain.length <= UNITS_PER_COLUMN * columns && columnsOf(plain) <= columns
  return fits ? plain : `${cutToColumns(plain, columns - 1)}…`
}

export function columnsOf(text: string): number {
  return isPlain(text) ? text.length : widthOf(text)
}

/** The longest beginning that fits into `columns`. Graphemes stay whole. */
export function cutToColumns(text: string, columns: number): string {
  const beginning = text.slice(0, UNITS_PER_COLUMN * Math.max(columns, 0)).replace(/[\ud800-\udbff]$/, '')
  const [piece = ''] = splitToColumns(beginning, columns)
  return columnsOf(piece) <= columns ? piece : ''
}

/** Splits the text into pieces of at most `columns`. Each piece has at least one grapheme, even if that is wider. */
export function splitToColumns(text: string, columns: number): string[] {
  const pieces: string[] = []
  let width = Number.POSITIVE_INFINITY
  for (const grapheme of graphemesOf(text)) {
    const columnsOfGrapheme = columnsOf(grapheme)
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
  return text + ' '.repeat(Math.max(0, columns - columnsOf(text)))
}

/** One column per code unit. */
function isPlain(text: string): boolean {
  return /^[\x20-\x7e]*$/.test(text)
}

let segmenter: Intl.Segmenter | undefined

/** Creates the segmenter on first use: that takes longer than most commands. */
function graphemesOf(text: string): string[] {
  if (isPlain(text)) return [...text]
  segmenter ??= new Intl.Segmenter(undefined, { granularity: 'grapheme' })
  return Array.from(segmenter.segment(text), ({ segment }) => segment)
}

let measure: ((text: string) => number) | undefined

/** Loads string-width on first use: that takes longer than most commands, and most output is ASCII. */
function widthOf(text: string): number {
  measure ??= (createRequire(import.meta.url)('string-width') as typeof import('string-width')).default
  return measure(text)
}
