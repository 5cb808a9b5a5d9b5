import { formatUsageCsv } from '../../executions/store/usage-csv.ts'
import { USAGE_FIELDS, type UsageField, type UsageRequest } from '../../executions/store/usage-query.ts'
import type { UsageAmounts, UsageReport, UsageRow } from '../../executions/store/usage-report.shape.ts'
import { withoutUndefined } from '../../kit/json-value.ts'
import { formatAmount, formatLimit } from '../../prompts/budget-faults.ts'
import type { BudgetList } from '../../prompts/budget-list.shape.ts'
import { USER } from '../../prompts/caller.ts'
import { splitTokens } from '../../prompts/tokens.ts'
import type { Invocation, RunCommand } from '../command.ts'
import { withExecutions } from '../executions/open-executions.ts'
import { flagsConflict, flagValueInvalid } from '../faults.ts'
import { openDrover } from '../open/open-drover.ts'
import { formatCost, formatDuration } from '../output/format-amounts.ts'
import { printResult } from '../output/print-result.ts'
import { toOneLine } from '../output/printable.ts'
import { dropColumns, formatTable, tableWidth } from '../output/text-table.ts'
import { wrapWords } from '../output/wrap-words.ts'
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
  { heading: 'COST', isAmount: true, cell: (row) => knownCost(row) ?? '-' },
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
  const { flags, runtime } = invocation
  if (flags.isOn('csv') && flags.isOn('json')) throw flagsConflict({ flags: ['--csv', '--json'] })
  return await withExecutions(invocation, async ({ store }) => {
    const report = await store.usage(request)
    if (flags.isOn('csv')) {
      await runtime.terminal.out.write(formatUsageCsv(report))
      return 0
    }
    return await printResult(invocation, report, (out) => {
      const options = { width: tableWidth(out), backend: request.backend }
      const [heading = '', ...lines] = formatUsageReport(report, options)
      return `${[out.style('bold', heading), ...lines].join('\n')}\n`
    })
  })
}

function toRequest(invocation: Invocation): UsageRequest {
  const { flags } = invocation
  const texts = { key: flags.text('key'), backend: flags.text('backend'), model: flags.text('model') }
  const days = { since: readDate(invocation, 'since'), until: readDate(invocation, 'until') }
  return withoutUndefined({ ...texts, ...days, groupBy: readFields(invocation) })
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

type ReportOptions = {
  width: number
  /** The only agent in the report. */
  backend?: string | undefined
}

/** Formats usage as a table that fits a width of 80. Pure. */
export function formatUsageReport(usageReport: UsageReport, { width, backend }: ReportOptions): string[] {
  const { since, until, group_by: groupBy } = usageReport
  if (usageReport.rows.length === 0) return [`No prompt ended from ${since} to ${until}.`]
  const { rows, totals } = countAlike(usageReport, backend)
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
  return [...formatTable(dropColumns(lines, width), width), ...describeMissingCost(totals, width)]
}

/** The tokens of each row mean the same for each agent, unless a row is of several agents. */
function countAlike({ rows, totals }: UsageReport, only: string | undefined): Pick<UsageReport, 'rows' | 'totals'> {
  const counted = rows.map((row) => {
    const { backend = only } = row
    if (backend === undefined) return row
    const { input, output } = splitTokens(row, backend)
    return { ...row, input_tokens: input, output_tokens: output }
  })
  const sum = (field: 'input_tokens' | 'output_tokens') => counted.reduce((total, row) => total + row[field], 0)
  return {
    rows: counted,
    totals: { ...totals, input_tokens: sum('input_tokens'), output_tokens: sum('output_tokens') },
  }
}

/** Undefined also if nothing but free prompts is known. */
function knownCost({ cost_usd: cost, priced_usd: priced, unknown_cost_executions: unknown }: UsageAmounts) {
  return cost === 0 && unknown > 0 ? undefined : formatCost(cost, priced !== undefined)
}

function describeMissingCost(totals: UsageAmounts, width: number): string[] {
  const { unknown_cost_executions: unknown } = totals
  if (unknown === 0 || knownCost(totals) === undefined) return []
  return wrapWords(`COST misses ${unknown} execution${unknown === 1 ? '' : 's'} whose cost is not known.`, width)
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
