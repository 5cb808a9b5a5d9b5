/** Rows of text in columns that fit a width. Pure. */
import { columnsOf, padToColumns, toOneLine } from './printable.ts'

const GAP = '  '
/** Narrower than this a column says nothing; then the line runs over instead. */
const NARROWEST = 8

/**
 * Every column is as wide as its widest cell but the last, which gets what is left of the width. Control characters and
 * line breaks in cells are taken out.
 */
export function formatTable(rows: readonly (readonly string[])[], width: number): string[] {
  const count = Math.max(0, ...rows.map((row) => row.length))
  const cells = rows.map((row) => row.map((cell, at) => (at < count - 1 ? toOneLine(cell, width) : cell)))
  const widths = Array.from({ length: Math.max(0, count - 1) }, (_, at) =>
    Math.max(...cells.map((row) => columnsOf(row[at] ?? ''))),
  )
  const left = width - widths.reduce((sum, each) => sum + each + GAP.length, 0)
  return cells.map((row) =>
    row
      .map((cell, at) => {
        const columns = widths[at]
        return columns === undefined ? toOneLine(cell, Math.max(NARROWEST, left)) : padToColumns(cell, columns)
      })
      .join(GAP)
      .trimEnd(),
  )
}

/**
 * The rows without the columns that there is no room for: those before the last go, from the right, so that what is
 * named first and what is said last stay.
 */
export function dropColumns(rows: readonly (readonly string[])[], width: number): (readonly string[])[] {
  const count = Math.max(0, ...rows.map((row) => row.length))
  const widest = (at: number) => Math.max(...rows.map((row) => columnsOf(toOneLine(row[at] ?? '', width))))
  const taken = Array.from({ length: Math.max(0, count - 1) }, (_, at) => widest(at) + GAP.length)
  let kept = count - 1
  while (kept > 1 && taken.slice(0, kept).reduce((sum, each) => sum + each, NARROWEST) > width) kept -= 1
  return rows.map((row) => [...row.slice(0, kept), ...row.slice(count - 1)])
}

/** A terminal is as wide as it is; into a file or a pipe goes more, because nothing there breaks the lines. */
export function tableWidth({ isTty, columns }: { isTty: boolean; columns: number }): number {
  return isTty ? columns : 160
}
