import { stripVTControlCharacters } from 'node:util'
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

/** Scripts that are written without spaces: a line can break at each character. */
const UNSPACED = '\\p{Script=Han}\\p{Script=Hiragana}\\p{Script=Katakana}'
const IS_UNSPACED = new RegExp(`^[${UNSPACED}]$`, 'u')
/** A line break, white space, a character of those scripts, or a word with its colours: every character is in one of them. */
const PIECES = new RegExp(`\\n|[ \\t]+|[${UNSPACED}]|[^ \\t\\n${UNSPACED}]+`, 'gu')
const TAB_COLUMNS = 8

/**
 * Breaks text between words while it arrives, where a terminal would break it inside of a word.
 * A line of code or of a table stays as it is, and so does a word that is wider than a line, such as a path: the terminal
 * breaks those, and they can be copied. Only the last word is held back, until it is complete or two lines long: some scripts
 * have no spaces.
 */
export class WordWrap {
  readonly #columns: () => number
  /** The cursor. */
  #column = 0
  /** Where the further lines of a paragraph begin. */
  #indent = 0
  /** The white space before the last word, and that word. */
  #gap = ''
  #word = ''
  /** A part of the last word is printed, so that no line can break before the rest. */
  #isInWord = false
  #isLineStart = true
  #isWhole = false
  #isInFence = false

  /** Terminals are resized, so the width is asked for each word. */
  constructor(columns: () => number) {
    this.#columns = columns
  }

  write(text: string): string {
    let printed = ''
    for (const [piece] of text.matchAll(PIECES)) {
      if (piece === '\n') printed += `${this.#endWord()}${this.#endLine()}`
      else if (/^[ \t]/.test(piece)) {
        printed += this.#endWord()
        this.#gap += piece
      } else if (IS_UNSPACED.test(piece)) {
        printed += this.#endWord()
        this.#word = piece
        printed += this.#endWord()
      } else {
        this.#word += piece
        printed += this.#beginLongWord()
      }
    }
    return printed
  }

  /** Returns what was held back. The next text starts over. */
  end(): string {
    const printed = this.#endWord() + this.#gap
    this.#endLine()
    this.#isInFence = false
    return printed
  }

  #beginLongWord(): string {
    if (this.#word.length <= 2 * this.#columns()) return ''
    const printed = this.#printWord()
    this.#isInWord = true
    return printed
  }

  #endWord(): string {
    const printed = this.#printWord()
    this.#isInWord = false
    return printed
  }

  #printWord(): string {
    if (this.#word === '') return ''
    const [gap, word] = [this.#gap, this.#word]
    this.#gap = ''
    this.#word = ''
    if (this.#isLineStart) this.#beginLine(gap, stripVTControlCharacters(word))
    const columns = Math.max(1, this.#columns())
    const width = countColumns(stripVTControlCharacters(word))
    const at = columnAfter(gap, this.#column)
    if (this.#isWhole || this.#isInWord || at + width <= columns || this.#column <= this.#indent) {
      this.#column = at + width
      return gap + word
    }
    const indent = this.#indent <= columns / 2 ? this.#indent : 0
    this.#column = indent + width
    return `\n${' '.repeat(indent)}${word}`
  }

  /** The first word of a line tells what the line is. */
  #beginLine(gap: string, word: string): void {
    const isFence = /^(?:`{3}|~{3})/.test(word)
    this.#isLineStart = false
    this.#isWhole = this.#isInFence || isFence || word.startsWith('|')
    if (isFence) this.#isInFence = !this.#isInFence
    const mark = /^(?:[-*+\u2022\u2502>!]|\d{1,3}[.)])$/.test(word) ? countColumns(word) + 1 : 0
    this.#indent = columnAfter(gap, 0) + mark
  }

  #endLine(): string {
    const gap = this.#gap
    this.#gap = ''
    this.#column = 0
    this.#indent = 0
    this.#isLineStart = true
    return `${gap}\n`
  }
}

/** A whole text, broken between words for a terminal; a file or a pipe gets it as it is. */
export function wrapOn({ isTty, columns }: { isTty: boolean; columns: number }, text: string): string {
  if (!isTty) return text
  const wrap = new WordWrap(() => columns)
  return wrap.write(text) + wrap.end()
}

/**
 * Breaks the messages of drover itself (`drover: …`) between words. Other lines stay as they are: commands below a message can
 * be copied.
 */
export function wrapMessages(text: string, columns: number): string {
  if (!text.startsWith('drover: ')) return text
  return text.replace(/^drover: .*$/gm, (line) => wrapOn({ isTty: true, columns }, line))
}

function columnAfter(gap: string, column: number): number {
  let at = column
  for (const character of gap) at += character === '\t' ? TAB_COLUMNS - (at % TAB_COLUMNS) : 1
  return at
}
