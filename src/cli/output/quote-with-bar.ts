/** Texts of agents and issues with a bar before each row, so that they cannot look like the words of drover. Pure. */
import { countColumns } from './printable.ts'
import { wrapWords } from './wrap-words.ts'

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
