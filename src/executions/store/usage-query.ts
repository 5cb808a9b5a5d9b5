/** Turns a question about usage into SQL, and rows into the answer. Pure. */

import type { SQLInputValue } from 'node:sqlite'
import type { Row } from '../../store/sql.ts'
import { usagePeriodInvalid, usageTooLarge } from './faults.ts'
import { USAGE_COUNTS } from './usage-entry.ts'
import type { UsageAmounts, UsageReport, UsageRow } from './usage-report.shape.ts'

export const USAGE_FIELDS = ['day', 'key', 'backend', 'model'] as const
export type UsageField = (typeof USAGE_FIELDS)[number]

/** What a caller may ask for. Days are UTC dates such as `2026-01-31`, both included. */
export type UsageRequest = {
  since?: string
  until?: string
  key?: string
  backend?: string
  model?: string
  groupBy?: readonly UsageField[]
  /** Only the usage of the API key with this id, whatever `key` says. */
  visibleTo?: string | undefined
}

export type UsageQuery = Omit<UsageRequest, 'groupBy'> & {
  since: string
  until: string
  /** In the order of `USAGE_FIELDS`, each once. */
  groupBy: readonly UsageField[]
}

/** Usage is removed after this many days. */
export const USAGE_DAYS = 400
const DEFAULT_DAYS = 30
/** More rows would block the server for too long, and are more than a person reads. */
export const MAX_USAGE_ROWS = 10_000

const DAY_MS = 24 * 3600 * 1000
const COLUMNS: Readonly<Record<UsageField, string>> = { day: 'day', key: 'api_key', backend: 'backend', model: 'model' }

/** The UTC date this many days before. */
export function dayBefore(now: Date, days: number): string {
  return new Date(now.getTime() - days * DAY_MS).toISOString().slice(0, 10)
}

/** Fills in the defaults: the last 30 days, or those until `until`, by all fields. */
export function toUsageQuery(request: UsageRequest, now: Date): UsageQuery {
  const { until = dayBefore(now, 0), groupBy = USAGE_FIELDS } = request
  const since = request.since ?? dayBefore(new Date(until), DEFAULT_DAYS - 1)
  if (until < since) throw usagePeriodInvalid({ since, until })
  return { ...request, since, until, groupBy: USAGE_FIELDS.filter((field) => groupBy.includes(field)) }
}

export function toUsageSql(query: UsageQuery): { sql: string; values: SQLInputValue[] } {
  const { since, until, key, backend, model, visibleTo, groupBy } = query
  const terms: [string, SQLInputValue | undefined][] = [
    ['day >= ?', since],
    ['day <= ?', until],
    ['api_key = ?', key],
    ['backend = ?', backend],
    ['model = ?', model],
    // Prompts without a key are those of the command line: no key may see them.
    ["key_id = ? AND key_id <> ''", visibleTo],
  ]
  const given = terms.filter(([, value]) => value !== undefined)
  const columns = groupBy.map((field) => COLUMNS[field])
  const order = columns.map((column) => (column === 'day' ? 'day DESC' : column))
  const sums = [...USAGE_COUNTS, 'cost_usd', 'priced_usd'].map((name) => `sum(${name}) AS ${name}`)
  const sql = `SELECT ${[...columns, ...sums].join(', ')} FROM usage
    WHERE ${given.map(([term]) => term).join(' AND ')}
    GROUP BY ${columns.join(', ')} ORDER BY ${order.join(', ')} LIMIT ${MAX_USAGE_ROWS + 1}`
  return { sql, values: given.map(([, value]) => value ?? null) }
}

export function toUsageReport(query: UsageQuery, found: readonly Row[]): UsageReport {
  if (found.length > MAX_USAGE_ROWS) throw usageTooLarge({ max: MAX_USAGE_ROWS })
  const { since, until, groupBy } = query
  const rows = found.map((row): UsageRow => ({ ...toGroup(row, groupBy), ...toAmounts([row]) }))
  return { since, until, group_by: [...groupBy], rows, totals: toAmounts(found) }
}

function toGroup(row: Row, groupBy: readonly UsageField[]): Partial<Record<UsageField, string>> {
  return Object.fromEntries(groupBy.map((field) => [field, String(row[COLUMNS[field]])]))
}

function toAmounts(rows: readonly Row[]): UsageAmounts {
  const sum = (name: string) => rows.reduce((total, row) => total + Number(row[name]), 0)
  const counts = Object.fromEntries(USAGE_COUNTS.map((name) => [name, sum(name)])) as Record<
    (typeof USAGE_COUNTS)[number],
    number
  >
  const { completed, failed, cancelled, lost, duration_ms, plan_executions, unknown_cost_executions, ...tokens } =
    counts
  return {
    executions: completed + failed + cancelled + lost,
    ...{ completed, failed, cancelled, lost },
    ...tokens,
    ...dollars('cost_usd', rows),
    ...dollars('priced_usd', rows),
    ...{ plan_executions, unknown_cost_executions, duration_ms },
  }
}

/** Absent if no row has any; without the noise of adding fractions. */
function dollars(name: 'cost_usd' | 'priced_usd', rows: readonly Row[]): { [N in typeof name]?: number } {
  const known = rows.filter((row) => row[name] !== null)
  if (known.length === 0) return {}
  return { [name]: Number(known.reduce((total, row) => total + Number(row[name]), 0).toFixed(9)) }
}
