/** Rows of a usage report, with tokens that mean the same for each agent. Pure. */
import type { DrivenRun } from '../../drive/service/driven-run.shape.ts'
import type { UsageAmounts, UsageReport, UsageRow } from '../../executions/store/usage-report.shape.ts'
import { countAlike } from '../text/count-alike.ts'
import { formatCost, nameOfRepository } from '../text/format.ts'
import type { SeriesReport } from './day-series.ts'

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

/** What driven runs have used, by repository and by the day on which they began. Pure. */
type UsedBy = Pick<DrivenRun, 'repository' | 'created_at' | 'next_run_id' | 'spent'>

export type RepositoryUsage = {
  readonly repository: string
  readonly runs: number
  readonly tokens: number
  readonly cost: number
  readonly isPriced: boolean
  readonly ms: number
}

export type RunUsage = { readonly report: SeriesReport; readonly repositories: readonly RepositoryUsage[] }

/** `since` and `until` are days. The last round of a run has used what all of its rounds have. */
export function toRunUsage(runs: readonly UsedBy[], since: string, until: string): RunUsage {
  const counted = runs.filter((run) => run.next_run_id === undefined && run.created_at.slice(0, 10) >= since)
  const rows = counted.map(({ repository, created_at: at, spent }) => ({
    ...{ day: at.slice(0, 10), repository: nameOfRepository(repository) },
    ...{ input_tokens: spent.tokens, output_tokens: 0, cost_usd: spent.cost_usd },
  }))
  const names = [...new Set(counted.map(({ repository }) => repository))]
  const repositories = names.map((repository): RepositoryUsage => {
    const own = counted.filter((run) => run.repository === repository)
    const sum = (of: (spent: DrivenRun['spent']) => number) => own.reduce((total, { spent }) => total + of(spent), 0)
    return {
      ...{ repository, runs: own.length, tokens: sum(({ tokens }) => tokens), cost: sum((spent) => spent.cost_usd) },
      ...{
        isPriced: own.some(({ spent }) => spent.priced_usd !== undefined),
        ms: sum((spent) => spent.time_secs) * 1000,
      },
    }
  })
  return { report: { since, until, rows }, repositories: repositories.sort((a, b) => b.tokens - a.tokens) }
}
