import { USAGE_FIELDS, type UsageField, type UsageRequest } from '../../executions/store/usage-query.ts'
import type { BudgetList } from '../../prompts/budget-list.shape.ts'
import { formatAmount, formatLimit } from '../../prompts/budget-text.ts'
import { USER } from '../../prompts/caller.ts'
import type { Invocation, RunCommand } from '../command.ts'
import { withExecutions } from '../executions/open-executions.ts'
import { flagValueInvalid } from '../faults.ts'
import { openDrover } from '../open/open-drover.ts'
import { printResult } from '../output/print-result.ts'
import { formatTable, tableWidth } from '../output/text-table.ts'
import { readSettings } from '../settings.ts'
import { parseDay } from '../words/parse-time.ts'
import { formatUsageReport } from './format-usage.ts'

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
