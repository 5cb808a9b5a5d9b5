/** Text from agents and people as a terminal may show it, and how many columns it takes there. */

/** Control characters, line separators, and what turns the direction of text around without being seen. */
const UNSAFE = /[\p{Cc}\u2028\u2029\u061c\u200e\u200f\u202a-\u202e\u2066-\u206f]/gu

/**
 * Line breaks and tabs stay, all other control characters go. What a model says must not be able to move the cursor,
 * set the title or fill the clipboard, nor to show one text and hold another.
 */
export function toPrintable(text: string): string {
  return text.replace(/\r\n/g, '\n').replace(UNSAFE, (character) => (/[\n\t]/.test(character) ? character : ''))
}

/** On a terminal the printable text; a file or a pipe gets the text as it is. */
export function toShown(text: string, { isTty }: { readonly isTty: boolean }): string {
  return isTty ? toPrintable(text) : text
}

/** No character takes more code units than this, so that a text of megabytes is not looked at as a whole. */
const UNITS_PER_COLUMN = 32

/** One line of at most so many columns. */
export function toOneLine(text: string, columns: number): string {
  const plain = toPrintable(text).replace(/\s+/g, ' ').trim()
  const fits = plain.length <= UNITS_PER_COLUMN * columns && columnsOf(plain) <= columns
  return fits ? plain : `${cutToColumns(plain, columns - 1)}…`
}

export function columnsOf(text: string): number {
  return isPlain(text) ? text.length : graphemesOf(text).reduce((sum, grapheme) => sum + widthOf(grapheme), 0)
}

/** The longest beginning that takes no more columns; what looks like one character stays whole. */
export function cutToColumns(text: string, columns: number): string {
  const [piece = ''] = splitToColumns(text.slice(0, UNITS_PER_COLUMN * Math.max(columns, 0)), columns)
  return columnsOf(piece) <= columns ? piece : ''
}

/** Pieces of at most so many columns, though each has at least one character. */
export function splitToColumns(text: string, columns: number): string[] {
  const pieces: string[] = []
  let width = Number.POSITIVE_INFINITY
  for (const grapheme of graphemesOf(text)) {
    width += widthOf(grapheme)
    if (width > columns) {
      pieces.push('')
      width = widthOf(grapheme)
    }
    pieces[pieces.length - 1] += grapheme
  }
  return pieces
}

export function padToColumns(text: string, columns: number): string {
  return text + ' '.repeat(Math.max(0, columns - columnsOf(text)))
}

function isPlain(text: string): boolean {
  return /^[\x20-\x7e]*$/.test(text)
}

let segmenter: Intl.Segmenter | undefined

/** Made when first needed: it takes longer to make than most commands take to run. */
function graphemesOf(text: string): string[] {
  if (isPlain(text)) return [...text]
  segmenter ??= new Intl.Segmenter(undefined, { granularity: 'grapheme' })
  return Array.from(segmenter.segment(text), ({ segment }) => segment)
}

/** East Asian wide and fullwidth characters, roughly, and what is shown as a picture. */
const WIDE =
  /[\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6\u{1f300}-\u{1faff}\u{20000}-\u{3fffd}]|\ufe0f|\p{Emoji_Presentation}/u

function widthOf(grapheme: string): number {
  return WIDE.test(grapheme) ? 2 : 1
}
