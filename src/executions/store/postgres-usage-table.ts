/** Adds to the table `usage` in PostgreSQL and reads it. */
import type { Transaction } from '../../store/postgres-database.ts'
import type { UsageEntry } from './usage-entry.ts'
import { dayBefore, toUsageReport, toUsageSql, USAGE_DAYS, type UsageQuery } from './usage-query.ts'
import type { UsageReport } from './usage-report.shape.ts'
import { ADD_USAGE, toUsageValues } from './usage-table.ts'

export class PostgresUsageTable {
  /** The last day for which old rows were removed. */
  #cleanedOn = ''

  /** The caller makes sure that an execution is added once. */
  async add(transaction: Transaction, entry: UsageEntry): Promise<void> {
    if (entry.day !== this.#cleanedOn) {
      await transaction.all('DELETE FROM usage WHERE day <= ?', dayBefore(new Date(entry.day), USAGE_DAYS))
      this.#cleanedOn = entry.day
    }
    await transaction.all(ADD_USAGE, ...toUsageValues(entry))
  }

  async read(database: Pick<Transaction, 'all'>, query: UsageQuery): Promise<UsageReport> {
    const { sql, values } = toUsageSql(query)
    return toUsageReport(query, await database.all(sql, ...values))
  }
}
