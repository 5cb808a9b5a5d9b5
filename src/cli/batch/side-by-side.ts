/** Puts several texts next to each other in columns. Pure. */
import { padToColumns } from '../output/printable.ts'
import { wrapWords } from '../output/wrap-words.ts'

const BORDER = ' │ '
/** Narrower columns are harder to read than texts one after another. */
const MIN_COLUMN_WIDTH = 40

/** The width of each of `count` columns; undefined if that is too narrow to read. */
export function columnWidth(count: number, width: number): number | undefined {
  const each = Math.floor((width - (count - 1) * BORDER.length) / count)
  return count > 1 && each >= MIN_COLUMN_WIDTH ? each : undefined
}

export function sideBySide(texts: readonly string[], width: number): string[] {
  const columns = texts.map((text) => wrapWords(text, width))
  const height = Math.max(0, ...columns.map((lines) => lines.length))
  return Array.from({ length: height }, (_, row) =>
    columns
      .map((lines) => padToColumns(lines[row] ?? '', width))
      .join(BORDER)
      .trimEnd(),
  )
}
