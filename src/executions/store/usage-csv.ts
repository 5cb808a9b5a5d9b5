/** Usage as CSV, for a spreadsheet (RFC 4180). Pure. */
import { toPrintable } from '../../kit/printable-text.ts'
import type { UsageAmounts, UsageReport } from './usage-report.shape.ts'

const EXACT = [
  ...(['executions', 'completed', 'failed', 'cancelled', 'lost'] as const),
  ...(['input_tokens', 'output_tokens', 'cached_tokens', 'reasoning_tokens', 'cache_write_tokens'] as const),
  ...(['cost_usd', 'priced_usd', 'plan_executions', 'unknown_cost_executions', 'duration_ms'] as const),
] satisfies readonly (keyof UsageAmounts)[]

/** The rows as `--json` has them, without the totals: a spreadsheet sums by itself. An unknown cost is empty. */
export function formatUsageCsv({ group_by: groupBy, rows }: UsageReport): string {
  const columns = [...groupBy, ...EXACT]
  return formatCsv([columns, ...rows.map((row) => columns.map((column) => row[column]))])
}

type Cell = string | number | undefined

function formatCsv(rows: readonly (readonly Cell[])[]): string {
  return rows.map((row) => `${row.map(formatCell).join(',')}\r\n`).join('')
}

/** A spreadsheet would run a text that begins like a formula. The apostrophe says that it is a text. */
function formatCell(cell: Cell = ''): string {
  if (typeof cell === 'number') return String(cell)
  const text = toPrintable(cell).replace(/^[=+\-@\t]/, "'$&")
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}
