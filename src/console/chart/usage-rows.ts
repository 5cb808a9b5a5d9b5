/** Rows of a usage report, with tokens that mean the same for each agent. Pure. */
import type { UsageAmounts, UsageReport, UsageRow } from '../../executions/store/usage-report.shape.ts'
import { countAlike } from '../text/count-alike.ts'
import { formatCost } from '../text/format.ts'

type Group = 'backend' | 'model' | 'key'

/** The rows of the report must have the agent. */
export function countRowsAlike(report: UsageReport): UsageReport {
  const rows = report.rows.map((row) => {
    const { read, written } = countAlike(row, row.backend)
    return { ...row, input_tokens: read, output_tokens: written }
  })
  const sum = (field: 'input_tokens' | 'output_tokens') => rows.reduce((total, row) => total + row[field], 0)
  const totals = { ...report.totals, input_tokens: sum('input_tokens'), output_tokens: sum('output_tokens') }
  return { ...report, rows, totals }
}

/** One row for each model, for example, in place of one for each agent and model. */
export function joinRows(rows: readonly UsageRow[], group: Group): UsageRow[] {
  const byName = [...Map.groupBy(rows, (row) => row[group] ?? '')].sort(([a], [b]) => (a < b ? -1 : 1))
  return byName.map(([, same]) => same.reduce(addRow))
}

function addRow(sum: UsageRow, row: UsageRow): UsageRow {
  const known: Readonly<Record<string, unknown>> = sum
  const added = Object.entries(row).flatMap(([name, value]) =>
    typeof value === 'number' ? [[name, value + Number(known[name] ?? 0)]] : [],
  )
  return { ...sum, ...Object.fromEntries(added) }
}

/** Undefined also if nothing but free prompts is known, as in `drover usage`. */
export function knownCost({ cost_usd: cost, priced_usd: priced, unknown_cost_executions: unknown }: UsageAmounts) {
  if (cost === undefined || (cost === 0 && unknown > 0)) return undefined
  return formatCost(cost, priced !== undefined)
}

/** As `drover usage` says it. Empty if no cost is known at all, or if every cost is. */
export function describeMissingCost(totals: UsageAmounts): string {
  const { unknown_cost_executions: unknown } = totals
  if (unknown === 0 || knownCost(totals) === undefined) return ''
  return `Cost misses ${unknown} ${unknown === 1 ? 'execution' : 'executions'} whose cost is not known.`
}
