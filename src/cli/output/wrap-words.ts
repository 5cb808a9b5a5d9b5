import { countColumns, cutToColumns, splitToColumns } from './printable.ts'

/**
 * Wraps text into lines of at most `columns`. Lines break between words; a word wider than a line breaks anywhere. Existing
 * line breaks, the indentation of each line and the spaces between words of one line stay. With `keepsPaths`, a path or an address that is wider stays whole, on a
 * separate line, so that it can be copied. That is only for the text of drover: the terminal wraps such a line without the
 * indentation, so the text of an agent could look like a heading of drover.
 */
export function wrapWords(
  text: string,
  columns: number,
  { keepsPaths = false, ruler = USUAL }: { keepsPaths?: boolean | undefined; ruler?: Ruler } = {},
): string[] {
  const split = (word: string, width: number) => (keepsPaths && COPIED.test(word) ? [word] : ruler.split(word, width))
  const used = { ...ruler, split }
  return text.split('\n').flatMap((line) => wrapLine(line.replaceAll('\t', '  ').trimEnd(), columns, used))
}

type Ruler = { measure: (text: string) => number; split: (word: string, columns: number) => string[] }

const USUAL: Ruler = { measure: countColumns, split: splitToColumns }

const COPIED = /^(?:\/|~\/|https?:\/\/)/

function wrapLine(line: string, columns: number, { measure, split }: Ruler): string[] {
  if (measure(line) <= columns) return [line]
  const indent = cutToColumns(/^ */.exec(line)?.[0] ?? '', Math.floor(columns / 2))
  const lines: string[] = []
  let current = indent
  for (const [, gap = '', word = ''] of line.trimStart().matchAll(/( *)([^ ]+)/g)) {
    const joined = current.trim() === '' ? current + word : current + gap + word
    if (measure(joined) <= columns) {
      current = joined
      continue
    }
    if (current.trim() !== '') lines.push(current)
    const pieces = split(word, columns - indent.length)
    lines.push(...pieces.slice(0, -1).map((piece) => indent + piece))
    current = indent + (pieces.at(-1) ?? '')
  }
  return [...lines, current]
}

export const BAR = '  | '

/** Rows of at most `columns` on any terminal, broken between words. The text must be printable. */
export function quoteWithBar(text: string, columns: number): string[] {
  const ruler = { measure: mostColumns, split: splitSafely }
  const rows = text === '' ? [] : wrapWords(text, columns - BAR.length, { ruler })
  return rows.map((row) => `${BAR}${row}`.trimEnd())
}

/** Pieces of at most `columns` on any terminal. */
export function splitSafely(text: string, columns: number): string[] {
  const pieces = ['']
  let width = 0
  for (const character of text) {
    const more = mostColumns(character)
    width += more
    if (width > columns && pieces.at(-1) !== '') {
      pieces.push('')
      width = more
    }
    pieces[pieces.length - 1] += character
  }
  return pieces
}

/** Terminals disagree about marks, fillers, symbols and joined emoji, which may take more columns than they should. */
function mostColumns(text: string): number {
  return [...text].reduce((sum, character) => sum + (isOneColumn(character) ? 1 : 2), 0)
}

function isOneColumn(character: string): boolean {
  return /[\x20-\x7e]/.test(character) || (/\p{L}/u.test(character) && countColumns(character) === 1)
}
