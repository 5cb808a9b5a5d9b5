/** The numbers of a chart of days. Pure. */
import type { UsageRow } from '../../executions/store/usage-report.shape.ts'

export type Measure = 'cost' | 'tokens'
export type SeriesField = 'backend' | 'model' | 'key' | 'repository'

type SeriesRow = Pick<UsageRow, 'day' | 'backend' | 'model' | 'key' | 'input_tokens' | 'output_tokens' | 'cost_usd'> & {
  readonly repository?: string
}
export type SeriesReport = { readonly since: string; readonly until: string; readonly rows: readonly SeriesRow[] }

export type DaySeries = {
  readonly days: readonly string[]
  /** The largest first; what is left of many is one series. */
  readonly series: readonly { readonly name: string; readonly values: readonly number[]; readonly total: number }[]
  /** Of the highest day. */
  readonly highest: number
}

const DAY_MS = 86_400_000
/** More colors cannot be told apart. */
const MAX_SERIES = 6
const OTHERS = 'others'

export function toDaySeries(report: SeriesReport, field: SeriesField, measure: Measure): DaySeries {
  const days = listDays(report)
  const at = new Map(days.map((day, index) => [day, index]))
  const byName = new Map<string, number[]>()
  for (const row of report.rows) {
    const index = at.get(row.day ?? '')
    if (index === undefined) continue
    const name = row[field] || 'none'
    const values = byName.get(name) ?? days.map(() => 0)
    values[index] = (values[index] ?? 0) + amountOf(row, measure)
    byName.set(name, values)
  }
  const series = [...byName]
    .map(([name, values]) => ({ name, values, total: sum(values) }))
    .filter(({ total }) => total > 0)
    .sort((a, b) => b.total - a.total || (a.name < b.name ? -1 : 1))
  const shown = joinRest(series)
  const highest = Math.max(0, ...days.map((_, index) => sum(shown.map(({ values }) => values[index] ?? 0))))
  return { days, series: shown, highest }
}

function joinRest(series: DaySeries['series']): DaySeries['series'] {
  if (series.length <= MAX_SERIES) return series
  const [first, rest] = [series.slice(0, MAX_SERIES - 1), series.slice(MAX_SERIES - 1)]
  const values = (rest[0]?.values ?? []).map((_, at) => sum(rest.map((each) => each.values[at] ?? 0)))
  return [...first, { name: OTHERS, values, total: sum(values) }]
}

function amountOf(row: SeriesRow, measure: Measure): number {
  return measure === 'cost' ? (row.cost_usd ?? 0) : row.input_tokens + row.output_tokens
}

const sum = (values: readonly number[]) => values.reduce((total, value) => total + value, 0)

/** Every day of the period, also those without usage. */
function listDays({ since, until }: SeriesReport): string[] {
  const count = Math.round((Date.parse(until) - Date.parse(since)) / DAY_MS) + 1
  return Array.from({ length: count }, (_, at) => new Date(Date.parse(since) + at * DAY_MS).toISOString().slice(0, 10))
}

/** Round numbers from 0 to at least the highest value: 1, 2 or 5 times a power of ten apart. */
export function toTicks(highest: number, count = 4): number[] {
  if (highest <= 0) return [0, 1]
  const rough = highest / count
  const power = 10 ** Math.floor(Math.log10(rough))
  const step = ([1, 2, 5, 10].find((factor) => factor * power >= rough) ?? 10) * power
  const last = Math.ceil(highest / step - 1e-9)
  return Array.from({ length: last + 1 }, (_, at) => Number((at * step).toPrecision(12)))
}
