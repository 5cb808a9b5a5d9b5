/** Formats usage as a table that fits a width of 80. Pure. */
import type { UsageAmounts, UsageReport, UsageRow } from '../../executions/store/usage-report.shape.ts'
import { formatDuration } from '../output/format-time.ts'
import { toOneLine } from '../output/printable.ts'
import { dropColumns, formatTable } from '../output/text-table.ts'
import { formatCost } from '../output/usage-text.ts'

type Column = { heading: string; isAmount?: true; cell(amounts: UsageAmounts & Partial<UsageRow>): string }

/** A longer key is shortened, so that the model has room beside it. */
const MAX_KEY_COLUMNS = 10

const AMOUNTS: readonly Column[] = [
  { heading: 'COUNT', isAmount: true, cell: ({ executions }) => formatCount(executions) },
  { heading: 'FAILED', isAmount: true, cell: ({ failed, lost }) => formatCount(failed + lost) },
  { heading: 'IN', isAmount: true, cell: ({ input_tokens: input }) => formatCount(input) },
  { heading: 'OUT', isAmount: true, cell: ({ output_tokens: output }) => formatCount(output) },
  { heading: 'COST', isAmount: true, cell: (row) => formatCost(row.cost_usd, row.priced_usd !== undefined) ?? '-' },
]

/** The model is last, because it may be long. */
const MODEL: Column = { heading: 'MODEL', cell: ({ model }) => model || '-' }
const TIME: Column = {
  heading: 'TIME',
  isAmount: true,
  cell: ({ duration_ms: durationMs }) => formatDuration(durationMs),
}

export function formatUsageReport(usageReport: UsageReport, width: number): string[] {
  const { since, until, group_by: groupBy, rows, totals } = usageReport
  if (rows.length === 0) return [`No prompt ended from ${since} to ${until}.`]
  const columns = [
    ...(groupBy.includes('day') ? [textColumn('DAY', ({ day }) => day)] : []),
    // Without a server there are no keys. Rows for keys alone would have no label then.
    ...(groupBy.join() === 'key' || rows.some(({ key = '' }) => key !== '')
      ? [textColumn('KEY', ({ key }) => toOneLine(key ?? '', MAX_KEY_COLUMNS))]
      : []),
    ...(groupBy.includes('backend') ? [textColumn('BACKEND', ({ backend }) => backend)] : []),
    ...AMOUNTS,
    groupBy.includes('model') ? MODEL : TIME,
  ]
  const label = columns.findIndex(({ isAmount }) => isAmount === undefined)
  const lines = [
    columns.map(({ heading }) => heading),
    ...rows.map((row) => columns.map(({ cell }) => cell(row))),
    columns.map(({ isAmount, cell }, at) => (isAmount ? cell(totals) : at === label ? 'total' : '')),
  ]
  return formatTable(dropColumns(lines, width), width)
}

function textColumn(heading: string, text: (row: Partial<UsageRow>) => string | undefined): Column {
  return { heading, cell: (row) => text(row) || '-' }
}

/** `999`, `1.2k`, `34k`, `5.6M`: at most five characters below a trillion. */
export function formatCount(count: number): string {
  const units = ['', 'k', 'M', 'G'] as const
  let [value, unit] = [count, 0]
  // 999.5 would be rounded to 1000.
  while (value >= (unit === 0 ? 1000 : 999.5) && unit < units.length - 1) {
    value /= 1000
    unit += 1
  }
  if (unit === 0) return String(count)
  return `${value < 9.95 ? value.toFixed(1) : Math.round(value)}${units[unit]}`
}
