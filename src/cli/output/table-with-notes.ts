import type { Channel } from '../terminal.ts'
import { toOneLine } from './printable.ts'
import { dropColumns, formatTable, tableWidth } from './text-table.ts'
import { wrapWords } from './wrap-words.ts'

/** The note is printed below its row. */
export type RowWithNote = { readonly cells: readonly string[]; readonly note?: string | undefined }

export type TextLayout = Pick<Channel, 'style' | 'isTty' | 'columns'>

/** A table with headings. If it is too wide, the last column is shortened, then columns before it are dropped; notes are wrapped. */
export function formatTableWithNotes(
  headings: readonly string[],
  rows: readonly RowWithNote[],
  out: TextLayout,
): string[] {
  const width = tableWidth(out)
  const [heading = '', ...lines] = formatTable(dropColumns([headings, ...rows.map(({ cells }) => cells)], width), width)
  const noted = rows.flatMap(({ note }, at) => [
    lines[at] ?? '',
    ...(note === undefined
      ? []
      : wrapWords(`  ${toOneLine(note, Number.POSITIVE_INFINITY)}`, width, { keepsPaths: true })),
  ])
  return [out.style('bold', heading), ...noted]
}
