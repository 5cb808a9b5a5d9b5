/** Formats rows of text in columns that fit a width. Pure. */
import type { Channel } from '../terminal.ts'
import { countColumns, padToColumns, toOneLine, toPrintable } from './printable.ts'
import { wrapWords } from './wrap-words.ts'

export type TextLayout = Pick<Channel, 'style' | 'isTty' | 'columns'>

const GAP = '  '
/** A narrower column is useless, so the line is too long instead. */
const MIN_LAST_COLUMN = 8

/** Each column is as wide as its widest cell, and the last one gets the rest. Removes control characters and line breaks. */
export function formatTable(rows: readonly (readonly string[])[], width: number): string[] {
  const count = largest(rows.map((row) => row.length))
  const cells = rows.map((row) => row.map((cell, at) => (at < count - 1 ? toOneLine(cell, width) : cell)))
  const widths = Array.from({ length: Math.max(0, count - 1) }, (_, at) =>
    largest(cells.map((row) => countColumns(row[at] ?? ''))),
  )
  const left = width - widths.reduce((sum, each) => sum + each + GAP.length, 0)
  return cells.map((row) =>
    row
      .map((cell, at) => {
        const columns = widths[at]
        return columns === undefined ? toOneLine(cell, Math.max(MIN_LAST_COLUMN, left)) : padToColumns(cell, columns)
      })
      .join(GAP)
      .trimEnd(),
  )
}

/** Drops columns that do not fit, from the right, but keeps the first and the last column. */
export function dropColumns(rows: readonly (readonly string[])[], width: number): (readonly string[])[] {
  const count = largest(rows.map((row) => row.length))
  const widest = (at: number) => largest(rows.map((row) => countColumns(toOneLine(row[at] ?? '', width))))
  const taken = Array.from({ length: Math.max(0, count - 1) }, (_, at) => widest(at) + GAP.length)
  let kept = count - 1
  while (kept > 1 && taken.slice(0, kept).reduce((sum, each) => sum + each, MIN_LAST_COLUMN) > width) kept -= 1
  return rows.map((row) => [...row.slice(0, kept), ...row.slice(count - 1)])
}

/** With headings in the first row. If it is too wide, the last column is shortened, then columns before it are dropped. */
export function formatHeadedTable(rows: readonly (readonly string[])[], out: TextLayout): string[] {
  const width = tableWidth(out)
  const [heading = '', ...lines] = formatTable(dropColumns(rows, width), width)
  return [out.style('bold', heading), ...lines]
}

/** The note is printed below its row. */
export type RowWithNote = { readonly cells: readonly string[]; readonly note?: string | undefined }

export function formatTableWithNotes(
  headings: readonly string[],
  rows: readonly RowWithNote[],
  out: TextLayout,
): string[] {
  const width = tableWidth(out)
  const [heading = '', ...lines] = formatHeadedTable([headings, ...rows.map(({ cells }) => cells)], out)
  const noted = rows.flatMap(({ note }, at) => [
    lines[at] ?? '',
    ...(note === undefined
      ? []
      : wrapWords(`  ${toOneLine(note, Number.POSITIVE_INFINITY)}`, width, { keepsPaths: true })),
  ])
  return [heading, ...noted]
}

/** The width of the terminal; more for a file or a pipe, where lines do not wrap. */
export function tableWidth({ isTty, columns }: { isTty: boolean; columns: number }): number {
  return isTty ? columns : 160
}

/** For a line that is whole in a file or a pipe. */
export function lineWidth({ isTty, columns }: { isTty: boolean; columns: number }): number {
  return isTty ? columns - 1 : Number.POSITIVE_INFINITY
}

/** `Math.max` cannot take a hundred thousand arguments. */
function largest(numbers: readonly number[]): number {
  return numbers.reduce((most, each) => Math.max(most, each), 0)
}

const LINE_COLUMNS = 160
const OUTPUT_LINES = 40

/** A line, and how it looks in colour. A path in a line with `keepsPaths` is not broken, so no agent may write that line. */
export type StyledLine = string | { readonly text: string; readonly tone?: Tone; readonly keepsPaths?: true }
type Tone = 'good' | 'bad' | 'open' | 'dim' | 'title'

const STYLES = { good: 'green', bad: 'red', open: 'yellow', dim: 'dim', title: 'bold' } as const

/** On a terminal lines are wrapped to its width. Elsewhere one line stays one line. */
export function formatLines(lines: readonly StyledLine[], { style, isTty, columns }: TextLayout): string[] {
  return lines.flatMap((line) => {
    const { text, tone, keepsPaths } = typeof line === 'string' ? { text: line } : line
    const wrapped = isTty ? wrapWords(text, columns - 1, { keepsPaths }) : text.split('\n')
    return tone === undefined ? wrapped : wrapped.map((each) => style(STYLES[tone], each))
  })
}

/** The end of what a failed command printed. */
export function lastLines(output: string): StyledLine[] {
  const lines = output.trimEnd().split('\n').slice(-OUTPUT_LINES)
  return lines.filter(Boolean).map((line) => ({ text: `    ${toPrintable(line)}`, tone: 'dim' }))
}

export function oneLine(text: string): string {
  return toOneLine(text, LINE_COLUMNS)
}
