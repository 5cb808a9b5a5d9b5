/** The SQL of a page of executions, and of their events, for both databases. Pure. */
import type { SQLInputValue } from 'node:sqlite'
import type { EventFilter, ExecutionFilter } from './execution-store.ts'

/** The first five have an index, which also gives the order, so a page costs the same however many executions there are. */
const COLUMNS = {
  state: 'state',
  backend: 'backend',
  session: 'session_id',
  parent: 'parent_id',
  keyId: 'key_id',
  key: 'api_key',
  workdir: 'workdir',
} as const satisfies Partial<Record<keyof ExecutionFilter, string>>

type Sql = { sql: string; values: SQLInputValue[] }

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
    [String.raw`lower(prompt_start) LIKE ? ESCAPE '\'`, filter.search && toPattern(filter.search)],
    // Without an index: as many executions are looked at as are kept.
    ['kind = ?', filter.kind],
    ['number >= ?', firstNumber],
  ]
  const given = [
    ...terms.flatMap(([sql, value]): Sql[] => (value === undefined ? [] : [{ sql, values: [value] }])),
    ...(filter.before === undefined ? [] : [olderThan(filter.before, filter.keyId)]),
  ]
  const where = given.length === 0 ? '' : `WHERE ${given.map(({ sql }) => sql).join(' AND ')}`
  return { where, values: given.flatMap(({ values }) => values) }
}

/** What the text has of the language of patterns means itself. */
function toPattern(search: string): string {
  return `%${search.toLowerCase().replaceAll(/[%_\\]/g, String.raw`\$&`)}%`
}

/** With `keyId`, an execution of another key counts as missing: whether it exists is not revealed. */
function olderThan(id: string, keyId: string | undefined): Sql {
  const { sql, values } = ofKey(keyId)
  return { sql: `number < (SELECT number FROM executions WHERE id = ?${sql})`, values: [id, ...values] }
}

/** Finds an execution by its id or a prefix of it; with `keyId`, among those of that key. */
export function toFindQuery({ from, below }: { from: string; below: string }, keyId: string | undefined): Sql {
  const { sql, values } = ofKey(keyId)
  return {
    sql: `SELECT * FROM executions WHERE id >= ? AND id < ?${sql} LIMIT 2`,
    values: [from, below, ...values],
  }
}

function ofKey(keyId: string | undefined): Sql {
  return keyId === undefined ? { sql: '', values: [] } : { sql: ' AND key_id = ?', values: [keyId] }
}

/** The events of an execution, in order. */
export function toEventsQuery(id: string, { after, limit, type }: EventFilter): Sql {
  const sql = `SELECT seq, at, type, content FROM execution_events
    WHERE execution = (SELECT number FROM executions WHERE id = ?) AND seq > ?
    ${type === undefined ? '' : 'AND type = ?'} ORDER BY seq LIMIT ?`
  return { sql, values: [id, after, ...(type === undefined ? [] : [type]), limit] }
}
