/** The SQL of a page of sessions in PostgreSQL, which picks the index by itself. Pure. */
import { idsBeginningWith } from './session-id.ts'
import type { Facet, SessionQuery, Sql } from './session-query.ts'

const CONDITIONS: Readonly<Record<Facet, string>> = {
  backend: 'backend = ?',
  status: 'status = ?',
  model: 'model = ?',
  workdir: 'working_dir = ?',
  tag: 'tags::jsonb @> to_jsonb(CAST(? AS text))',
}

/** The condition of a query; `true` if it matches everything. */
export function toPostgresCondition({ facets, isResumable, since, until, needle }: SessionQuery): Sql {
  const conditions: Sql[] = [
    ...[...facets].map(([facet, value]) => ({ text: CONDITIONS[facet], values: [value] })),
    ...(isResumable === undefined
      ? []
      : [{ text: `backend_session_id IS ${isResumable ? 'NOT NULL' : 'NULL'}`, values: [] }]),
    ...(since === undefined ? [] : [{ text: 'last_used >= ?', values: [since] }]),
    ...(until === undefined ? [] : [{ text: 'last_used < ?', values: [until] }]),
    ...(needle === undefined ? [] : [hasText(needle)]),
  ]
  if (conditions.length === 0) return { text: 'true', values: [] }
  return {
    text: conditions.map(({ text }) => text).join(' AND '),
    values: conditions.flatMap(({ values }) => values),
  }
}

/** `LIKE` can use the index of trigrams. */
function hasText(needle: string): Sql {
  const pattern = `%${needle.replace(/[\\%_]/g, '\\$&')}%`
  const ids = idsBeginningWith(needle)
  if (ids === undefined) return { text: 'search_text LIKE ?', values: [pattern] }
  return { text: '(search_text LIKE ? OR (id >= ? AND id < ?))', values: [pattern, ids.from, ids.below] }
}
