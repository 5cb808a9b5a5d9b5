/** Formats rows as CSV for a spreadsheet (RFC 4180). Pure. */
import { toPrintable } from './printable.ts'

type Cell = string | number | undefined

export function formatCsv(rows: readonly (readonly Cell[])[]): string {
  return rows.map((row) => `${row.map(formatCell).join(',')}\r\n`).join('')
}

/** A spreadsheet would run a text that begins like a formula. The apostrophe says that it is a text. */
function formatCell(cell: Cell = ''): string {
  if (typeof cell === 'number') return String(cell)
  const text = toPrintable(cell).replace(/^[=+\-@\t]/, "'$&")
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}
