/** Several texts next to each other, each in a column of its own. Pure. */
import { padToColumns } from '../output/printable.ts'
import { wrapWords } from '../output/wrap-words.ts'

const BORDER = ' │ '
/** Narrower columns are harder to read than one text after another. */
const NARROWEST = 40

/** How wide each of so many columns can be, or undefined when that is too narrow to read. */
export function columnWidth(count: number, width: number): number | undefined {
  const each = Math.floor((width - (count - 1) * BORDER.length) / count)
  return count > 1 && each >= NARROWEST ? each : undefined
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
