/** Turns a filter for sessions into SQL. Pure. migrations.ts describes the tables. */
import { idsBeginningWith } from './session-id.ts'
import { foldText } from './session-rows.ts'
import { checkMoment, checkNotEmpty, checkSearch, checkTag } from './session-rules.ts'
import type { SessionFilter } from './session-store.ts'

export type SqlText = { text: string; values: readonly (string | number)[] }

/** The properties by which sessions are indexed and counted. */
export type Facet = 'backend' | 'status' | 'tag' | 'model' | 'workdir'

/** How a query reaches the sessions: by the index of a facet, by the index of last use, or by the results of a search. */
export type AccessPath = Facet | 'use' | 'search'

/** A filter with checked values in the stored format. */
export type SessionQuery = {
  facets: ReadonlyMap<Facet, string>
  isResumable: boolean | undefined
  since: string | undefined
  until: string | undefined
  needle: string | undefined
}

/** The trigram index cannot find shorter texts. */
const TRIGRAM = 3
/** With more matches, scanning sessions by last use finds a page faster than sorting all matches. */
const FEW = 2_000

const HAS_TAG = 'EXISTS (SELECT 1 FROM session_tags t WHERE t.tag = ? AND t.last_used = s.last_used AND t.id = s.id)'

export function toSessionQuery(filter: SessionFilter): SessionQuery {
  const { backend, status, tag, model, workdir, search, since, until } = filter
  const facets = Object.entries({
    backend,
    status,
    tag: tag === undefined ? undefined : checkTag(tag),
    model: model === undefined ? undefined : checkNotEmpty('model', model),
    workdir: workdir === undefined ? undefined : checkNotEmpty('workdir', workdir),
  })
  return {
    facets: new Map(facets.filter((facet): facet is [Facet, string] => facet[1] !== undefined)),
    isResumable: filter.isResumable,
    since: since === undefined ? undefined : checkMoment('since', since),
    until: until === undefined ? undefined : checkMoment('until', until),
    needle: search === undefined || search === '' ? undefined : foldText(checkSearch(search)),
  }
}

/** Whether the table of counts can answer the query. */
export function hasStoredCount({ since, until, needle }: SessionQuery): boolean {
  return since === undefined && until === undefined && needle === undefined
}

/** SQL that reads the number of sessions from the table of counts. */
export function toStoredCount({ facets, isResumable }: Pick<SessionQuery, 'facets' | 'isResumable'>): SqlText {
  const conditions = [
    where('working_dir = ?', facets.get('workdir') ?? ''),
    where('tag = ?', facets.get('tag') ?? ''),
    ...(['model', 'backend', 'status'] as const).map((facet) => where(`${facet} = ?`, facets.get(facet))),
    where('is_resumable = ?', isResumable === undefined ? undefined : Number(isResumable)),
  ]
  const source = { text: 'session_counts', values: [] }
  return toSelect('ifnull(sum(count), 0) AS total', source, conditions.flat())
}

/** SQL that counts the sessions themselves. */
export function toCount(query: SessionQuery, accessPath: AccessPath): SqlText {
  const conditions = toConditions(query, accessPath)
  // Without other conditions, the search results alone give the count.
  const isSearchAlone = accessPath === 'search' && conditions.length === 0
  const found = toSearch(query.needle ?? '')
  const source = isSearchAlone ? { ...found, text: `(${found.text})` } : toSource(query, accessPath)
  return toSelect('count(*) AS total', source, conditions)
}

/** Sorted by last use, newest first, then by id, descending. */
export function toPage(query: SessionQuery, page: { accessPath: AccessPath; limit: number; offset: number }): SqlText {
  const { text, values } = toSelect('s.number', toSource(query, page.accessPath), toConditions(query, page.accessPath))
  const order = page.accessPath === 'tag' ? 't.last_used DESC, t.id DESC' : 's.last_used DESC, s.id DESC'
  return { text: `${text} ORDER BY ${order} LIMIT ? OFFSET ?`, values: [...values, page.limit, page.offset] }
}

/** Picks the access path that reads the fewest sessions. `sizes` has the size of each facet, if there are several. */
export function pickAccessPath(
  { facets, needle }: SessionQuery,
  { found, sizes }: { found: number; sizes: ReadonlyMap<Facet, number> },
): AccessPath {
  if (needle !== undefined && found <= FEW) return 'search'
  const [first = 'use', ...others] = facets.keys()
  const sizeOf = (accessPath: AccessPath) => sizes.get(accessPath as Facet) ?? Number.POSITIVE_INFINITY
  return others.reduce<AccessPath>((best, facet) => (sizeOf(facet) < sizeOf(best) ? facet : best), first)
}

/** The conditions of a query on sessions that this access path finds. */
export function toConditions(sessionQuery: SessionQuery, accessPath: AccessPath): SqlText[] {
  const { facets, isResumable, since, until, needle } = sessionQuery
  const moment = accessPath === 'tag' ? 't.last_used' : 's.last_used'
  return [
    where('s.backend = ?', facets.get('backend')),
    where('s.status = ?', facets.get('status')),
    where('s.model = ?', facets.get('model')),
    where('s.working_dir = ?', facets.get('workdir')),
    where(accessPath === 'tag' ? 't.tag = ?' : HAS_TAG, facets.get('tag')),
    where('(s.backend_session_id IS NOT NULL) = ?', isResumable === undefined ? undefined : Number(isResumable)),
    where(`${moment} >= ?`, since),
    where(`${moment} < ?`, until),
    needle === undefined || accessPath === 'search' ? [] : [hasText(needle)],
  ].flat()
}

/** CROSS JOIN and INDEXED BY force our access path: SQLite knows less about the sizes than we do. */
function toSource({ needle = '' }: SessionQuery, accessPath: AccessPath): SqlText {
  if (accessPath === 'tag') return { text: 'session_tags t CROSS JOIN sessions s ON s.number = t.number', values: [] }
  if (accessPath !== 'search') return { text: `sessions s INDEXED BY sessions_by_${accessPath}`, values: [] }
  const found = toSearch(needle)
  return { text: `(${found.text}) f CROSS JOIN sessions s ON s.number = f.number`, values: found.values }
}

/** SQL for the numbers of sessions that contain a text, or whose id begins with it. */
function toSearch(needle: string): SqlText {
  const ids = idsBeginningWith(needle)
  const isIndexed = [...needle].length >= TRIGRAM
  const inText = isIndexed
    ? { text: 'session_search MATCH ?', values: [`"${needle.replaceAll('"', '""')}"`] }
    : { text: 'instr(text, ?) > 0', values: [needle] }
  const byText = `SELECT rowid AS number FROM session_search WHERE ${inText.text}`
  if (ids === undefined) return { text: byText, values: inText.values }
  const byId = 'SELECT number FROM sessions WHERE id >= ? AND id < ?'
  return { text: `${byText} UNION ${byId}`, values: [...inText.values, ids.from, ids.below] }
}

/** The same as a condition on a session that another access path found. */
function hasText(needle: string): SqlText {
  const inText = 'EXISTS (SELECT 1 FROM session_search f WHERE f.rowid = s.number AND instr(f.text, ?) > 0)'
  const ids = idsBeginningWith(needle)
  if (ids === undefined) return { text: inText, values: [needle] }
  return { text: `(${inText} OR (s.id >= ? AND s.id < ?))`, values: [needle, ids.from, ids.below] }
}

function where(text: string, value: string | number | undefined): SqlText[] {
  return value === undefined ? [] : [{ text, values: [value] }]
}

export function toSelect(what: string, source: SqlText, conditions: readonly SqlText[]): SqlText {
  const clause = conditions.length === 0 ? '' : ` WHERE ${conditions.map(({ text }) => text).join(' AND ')}`
  return {
    text: `SELECT ${what} FROM ${source.text}${clause}`,
    values: [source, ...conditions].flatMap(({ values }) => values),
  }
}
