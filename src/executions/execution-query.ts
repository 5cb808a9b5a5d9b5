/** The SQL of a page of executions. Pure. */
import type { SQLInputValue } from 'node:sqlite'
import type { ExecutionFilter } from './execution-store.ts'

/** Every filter has an index that also gives the order, so a page costs the same however many executions there are. */
const COLUMNS: Readonly<Record<Exclude<keyof ExecutionFilter, 'since' | 'before'>, string>> = {
  state: 'state',
  backend: 'backend',
  session: 'session_id',
  parent: 'parent_id',
  apiKey: 'api_key',
}

export function toPageQuery(filter: ExecutionFilter): { where: string; values: SQLInputValue[] } {
  const terms: { sql: string; values: SQLInputValue[] }[] = []
  for (const [name, column] of Object.entries(COLUMNS)) {
    const value = filter[name as keyof ExecutionFilter]
    if (value !== undefined) terms.push({ sql: `${column} = ?`, values: [value] })
  }
  if (filter.since !== undefined) terms.push({ sql: 'created_at >= ?', values: [filter.since] })
  if (filter.before !== undefined) {
    const [at = '', id = ''] = filter.before.split(',')
    terms.push({ sql: '(created_at, id) < (?, ?)', values: [at, id] })
  }
  const where = terms.length === 0 ? '' : `WHERE ${terms.map(({ sql }) => sql).join(' AND ')}`
  return { where, values: terms.flatMap(({ values }) => values) }
}
