import { USAGE_FIELDS, type UsageField, type UsageRequest } from '../../executions/store/usage-query.ts'
import type { Invocation, RunCommand } from '../command.ts'
import { withExecutions } from '../executions/open-executions.ts'
import { flagValueInvalid } from '../faults.ts'
import { printResult } from '../output/print-result.ts'
import { tableWidth } from '../output/text-table.ts'
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
