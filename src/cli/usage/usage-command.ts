import { USAGE_FIELDS, type UsageField, type UsageRequest } from '../../executions/store/usage-query.ts'
import type { UsageAmounts, UsageReport, UsageRow } from '../../executions/store/usage-report.shape.ts'
import { formatAmount, formatLimit } from '../../prompts/budget-faults.ts'
import type { BudgetList } from '../../prompts/budget-list.shape.ts'
import { USER } from '../../prompts/caller.ts'
import type { Invocation, RunCommand } from '../command.ts'
import { withExecutions } from '../executions/open-executions.ts'
import { flagValueInvalid } from '../faults.ts'
import { openDrover } from '../open/open-drover.ts'
import { formatCost, formatDuration } from '../output/format-amounts.ts'
import { printResult } from '../output/print-result.ts'
import { toOneLine } from '../output/printable.ts'
import { dropColumns, formatTable, tableWidth } from '../output/text-table.ts'
import { readSettings } from '../settings.ts'
import { parseDay } from '../words/parse-time.ts'

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

export const run: RunCommand = async (invocation) => {
  const request = toRequest(invocation)
  return await withExecutions(invocation, async ({ store }) => {
    const report = await store.usage(request)
    return await printResult(invocation, report, (out) => {
      const [heading = '', ...lines] = formatUsageReport(report, tableWidth(out))
      return `${[out.style('bold', heading), ...lines].join('\n')}\n`
    })
  })
}

function toRequest(invocation: Invocation): UsageRequest {
  const { flags } = invocation
  const texts = { key: flags.text('key'), backend: flags.text('backend'), model: flags.text('model') }
  const days = { since: readDate(invocation, 'since'), until: readDate(invocation, 'until') }
  const given = Object.entries({ ...texts, ...days, groupBy: readFields(invocation) })
  return Object.fromEntries(given.filter(([, value]) => value !== undefined))
}

function readDate({ flags, runtime }: Invocation, name: string): string | undefined {
  const given = flags.text(name)
  if (given === undefined) return undefined
  const day = parseDay(given, runtime.clock.now())
  if (day !== undefined) return day
  const allowed = 'an age such as 7d, yesterday, today or a date such as 2026-01-31'
  throw flagValueInvalid({ flag: `--${name}`, given, allowed })
}

function readFields({ flags }: Invocation): UsageField[] | undefined {
  const given = flags.text('by')
  if (given === undefined) return undefined
  const words = given.split(',').map((word) => word.trim())
  const fields = USAGE_FIELDS.filter((field) => words.includes(field))
  if (words.every((word) => (USAGE_FIELDS as readonly string[]).includes(word))) return fields
  throw flagValueInvalid({ flag: '--by', given, allowed: `one or more of ${USAGE_FIELDS.join(',')}` })
}

export const listBudgets: RunCommand = async (invocation) => {
  const { config } = await readSettings(invocation)
  await using drover = openDrover(invocation, { config, isDemo: false })
  const list = await drover.budgets.list(USER)
  return await printResult(invocation, list, (out) => {
    if (list.budgets.length === 0)
      return 'There are no budgets. "drover keys create --budget" and the setting budgets add them.\n'
    const [heading = '', ...lines] = formatTable(toRows(list), tableWidth(out))
    return `${[out.style('bold', heading), ...lines].join('\n')}\n`
  })
}

function toRows({ budgets }: BudgetList): string[][] {
  const rows = budgets.map(({ name, unit, period, limit, used, reserved, estimated, resets_at: resets = 'never' }) => {
    const mark = estimated > 0 ? '~' : ''
    const [taken, held] = [formatAmount(used, unit), formatAmount(reserved, unit)]
    return [name, formatLimit({ limit, unit, period }), `${mark}${taken}`, reserved === 0 ? '-' : held, resets]
  })
  return [['FOR', 'LIMIT', 'USED', 'RESERVED', 'RESETS'], ...rows]
}

/** Formats usage as a table that fits a width of 80. Pure. */
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
