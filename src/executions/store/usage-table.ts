/** Adds to the table `usage` and reads it. */
import { all, type Steps } from '../../store/sql.ts'
import { USAGE_COUNTS, type UsageEntry } from './usage-entry.ts'
import { dayBefore, toUsageReport, toUsageSql, USAGE_DAYS, type UsageQuery } from './usage-query.ts'
import type { UsageReport } from './usage-report.shape.ts'

const GROUP = ['day', 'key_id', 'api_key', 'backend', 'model'] as const
const SUMS = [...USAGE_COUNTS, 'cost_usd', 'priced_usd'] as const satisfies readonly (keyof UsageEntry)[]
const COLUMNS = [...GROUP, ...SUMS]

/** A cost that no agent has reported stays unknown. */
const addColumn = (name: string) =>
  `${name} = coalesce(usage.${name} + excluded.${name}, usage.${name}, excluded.${name})`
const ADD_USAGE = `INSERT INTO usage (${COLUMNS.join(', ')}) VALUES (${COLUMNS.map(() => '?').join(', ')})
  ON CONFLICT (${GROUP.join(', ')}) DO UPDATE SET ${SUMS.map(addColumn).join(', ')}`

export class UsageTable {
  /** The last day for which old rows were removed. */
  #cleanedOn = '';

  /** The caller makes sure that an execution is added once. */
  *add(entry: UsageEntry): Steps<void> {
    yield* this.#removeOld(entry.day)
    yield* all(ADD_USAGE, ...COLUMNS.map((name) => entry[name]))
  }

  *read(query: UsageQuery): Steps<UsageReport> {
    const { sql, values } = toUsageSql(query)
    return toUsageReport(query, yield* all(sql, ...values))
  }

  /** Once a day is enough, and costs a short command of the command line next to nothing. */
  *#removeOld(today: string): Steps<void> {
    if (today === this.#cleanedOn) return
    const oldest = dayBefore(new Date(today), USAGE_DAYS)
    yield* all('DELETE FROM usage WHERE day <= ?', oldest)
    // The name of a period is its first moment; `once` is not less than any.
    yield* all('DELETE FROM budgets WHERE period < ?', oldest)
    this.#cleanedOn = today
  }
}
