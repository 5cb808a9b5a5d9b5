/** The SQL of a page of executions, and of their events, for both databases. Pure. */
import type { SQLInputValue } from 'node:sqlite'
import type { EventFilter, ExecutionFilter } from './execution-store.ts'

/** Each has an index, which also gives the order, so a page costs the same however many executions there are. */
const COLUMNS = {
  state: 'state',
  backend: 'backend',
  session: 'session_id',
  parent: 'parent_id',
  apiKey: 'api_key',
} as const satisfies Partial<Record<keyof ExecutionFilter, string>>

/** `firstNumber` is a row that is not newer than `since`; rows before it are not looked at. */
export function toPageQuery(
  filter: ExecutionFilter,
  firstNumber: number | undefined,
): { where: string; values: SQLInputValue[] } {
  const terms: [sql: string, value: SQLInputValue | undefined][] = [
    ...Object.entries(COLUMNS).map(([name, column]): [string, string | undefined] => [
      `${column} = ?`,
      filter[name as keyof typeof COLUMNS],
    ]),
    ['created_at >= ?', filter.since],
    ['number >= ?', firstNumber],
    ['number < (SELECT number FROM executions WHERE id = ?)', filter.before],
  ]
  const given = terms.filter(([, value]) => value !== undefined)
  const where = given.length === 0 ? '' : `WHERE ${given.map(([sql]) => sql).join(' AND ')}`
  return { where, values: given.map(([, value]) => value as SQLInputValue) }
}

/** The events of an execution, in order. */
export function toEventsQuery(
  id: string,
  { after, limit, type }: EventFilter,
): { sql: string; values: SQLInputValue[] } {
  const sql = `SELECT seq, at, type, content FROM execution_events
    WHERE execution = (SELECT number FROM executions WHERE id = ?) AND seq > ?
    ${type === undefined ? '' : 'AND type = ?'} ORDER BY seq LIMIT ?`
  return { sql, values: [id, after, ...(type === undefined ? [] : [type]), limit] }
}
