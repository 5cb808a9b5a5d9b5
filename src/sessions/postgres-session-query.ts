/** The SQL of a page of sessions in PostgreSQL, which picks the index by itself. Pure. */
import { idsBeginningWith } from './session-id.ts'
import type { Facet, SessionQuery, Sql } from './session-query.ts'
import { isVisible } from './session-visibility.ts'

const CONDITIONS: Readonly<Record<Facet, string>> = {
  backend: 'backend = ?',
  status: 'status = ?',
  model: 'model = ?',
  workdir: 'working_dir = ?',
  tag: 'tags::jsonb @> to_jsonb(CAST(? AS text))',
}

/** The condition of a query on the sessions that the key sees; `true` if it matches everything. */
export function toPostgresCondition(
  { facets, isResumable, since, until, needle }: SessionQuery,
  keyId: string | undefined,
): Sql {
  const conditions: Sql[] = [
    isVisible(keyId),
    ...[...facets].map(([facet, value]) => ({ text: CONDITIONS[facet], values: [value] })),
    ...(isResumable === undefined
      ? []
      : [{ text: `backend_session_id IS ${isResumable ? 'NOT NULL' : 'NULL'}`, values: [] }]),
    ...(since === undefined ? [] : [{ text: 'last_used >= ?', values: [since] }]),
    ...(until === undefined ? [] : [{ text: 'last_used < ?', values: [until] }]),
    ...(needle === undefined ? [] : [hasText(needle, keyId)]),
  ]
  return {
    text: conditions.map(({ text }) => text).join(' AND '),
    values: conditions.flatMap(({ values }) => values),
  }
}

/** `LIKE` can use the index of trigrams. For a key only its sessions are read: the time must not tell what others have. */
function hasText(needle: string, keyId: string | undefined): Sql {
  const pattern = `%${needle.replace(/[\\%_]/g, '\\$&')}%`
  const [inText, value] = keyId === undefined ? ['search_text LIKE ?', pattern] : ['strpos(search_text, ?) > 0', needle]
  const ids = idsBeginningWith(needle)
  if (ids === undefined) return { text: inText, values: [value] }
  return { text: `(${inText} OR (id >= ? AND id < ?))`, values: [value, ids.from, ids.below] }
}
