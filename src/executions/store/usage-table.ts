/** Adds to the table `usage` and reads it. Callers are in a transaction. */
import type { StoreDatabase } from '../../store/database.ts'
import { USAGE_COUNTS, type UsageEntry } from './usage-entry.ts'
import { dayBefore, toUsageReport, toUsageSql, USAGE_DAYS, type UsageQuery } from './usage-query.ts'
import type { UsageReport } from './usage-report.shape.ts'

const GROUP = ['day', 'key_id', 'api_key', 'backend', 'model'] as const
const SUMS = [...USAGE_COUNTS, 'cost_usd'] as const satisfies readonly (keyof UsageEntry)[]
const COLUMNS = [...GROUP, ...SUMS]

/** A cost that no agent has reported stays unknown. */
const addColumn = (name: string) =>
  `${name} = coalesce(usage.${name} + excluded.${name}, usage.${name}, excluded.${name})`
/** For SQLite and for PostgreSQL. */
export const ADD_USAGE = `INSERT INTO usage (${COLUMNS.join(', ')}) VALUES (${COLUMNS.map(() => '?').join(', ')})
  ON CONFLICT (${GROUP.join(', ')}) DO UPDATE SET ${SUMS.map(addColumn).join(', ')}`

/** The values of `ADD_USAGE`. */
export function toUsageValues(entry: UsageEntry): (string | number | null)[] {
  return COLUMNS.map((name) => entry[name])
}

export class UsageTable {
  readonly #database: StoreDatabase
  /** The last day for which old rows were removed. */
  #cleanedOn = ''

  constructor(database: StoreDatabase) {
    this.#database = database
  }

  /** The caller makes sure that an execution is added once. */
  add(entry: UsageEntry): void {
    this.#removeOld(entry.day)
    this.#database.run(ADD_USAGE, ...toUsageValues(entry))
  }

  read(query: UsageQuery): UsageReport {
    const { sql, values } = toUsageSql(query)
    return toUsageReport(query, this.#database.all(sql, ...values))
  }

  /** Once a day is enough, and costs a short command of the command line next to nothing. */
  #removeOld(today: string): void {
    if (today === this.#cleanedOn) return
    this.#database.run('DELETE FROM usage WHERE day <= ?', dayBefore(new Date(today), USAGE_DAYS))
    this.#cleanedOn = today
  }
}
