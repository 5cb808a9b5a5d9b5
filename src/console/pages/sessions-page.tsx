/** The sessions: search, filters, tags, usage. */

import type { Session } from '../../sessions/session.shape.ts'
import { route, toHash } from '../live/router.ts'
import { backends, executionsVersion } from '../live/server-state.ts'
import { usePages } from '../live/use-pages.ts'
import { FilterSelect, SearchField, setQuery } from '../parts/filter-select.tsx'
import { Age, Owner, StateChip, Tokens } from '../parts/state-chip.tsx'
import { nameOfRepository } from '../text/format.ts'
import { toStateWord } from '../text/state-word.ts'
import { toLine } from '../text/visible-text.ts'

const PAGE_SIZE = 50
const STATUSES = ['active', 'paused', 'completed', 'error']
/** In the address, as the server names them. */
const FIELDS = ['search', 'backend', 'status', 'tag']
const OFFSET = 'offset'

type Listed = Pick<
  Session,
  | 'id'
  | 'status'
  | 'backend'
  | 'title'
  | 'initial_prompt'
  | 'last_used'
  | 'turn_count'
  | 'tags'
  | 'working_dir'
  | 'token_usage'
  | 'api_key'
  | 'shared'
>
type Found = { sessions: readonly Listed[]; total: number; offset: number; next?: undefined }

export function SessionsPage() {
  // What is wanted is in the address, so that it can be shared, and the way back leads to the same list.
  const wanted = route.value.query
  const { pages } = usePages<Found>(`sessions?${toQuery(wanted)}`, executionsVersion.value)
  const found = pages?.[0]
  return (
    <div class="page">
      <h1>Sessions</h1>
      <search class="filters">
        <SearchField says="Search in titles and first prompts" from={OFFSET} />
        <FilterSelect name="Agent" field="backend" choices={backends.value.map(({ name }) => name)} from={OFFSET} />
        <FilterSelect name="State" field="status" choices={STATUSES} viewOf={toStateWord} from={OFFSET} />
        <input
          aria-label="Tag"
          placeholder="Tag"
          value={wanted.get('tag') ?? ''}
          onInput={(event) => setQuery({ tag: event.currentTarget.value, [OFFSET]: '' })}
        />
      </search>
      {found === undefined && <p class="dim">Loading…</p>}
      {found?.sessions.length === 0 && <NoSession isFiltered={FIELDS.some((field) => wanted.has(field))} />}
      {found?.sessions.map((session) => (
        <SessionRow key={session.id} session={session} />
      ))}
      {found !== undefined && found.total > 0 && <Pager page={found} />}
    </div>
  )
}

function NoSession({ isFiltered }: { isFiltered: boolean }) {
  if (isFiltered) return <p class="dim">No session matches.</p>
  return (
    <p class="dim">
      No sessions yet. Every prompt starts one, and you can resume it here. <a href="#/new">Start a prompt</a>.
    </p>
  )
}

function toQuery(wanted: URLSearchParams): string {
  const given = [...FIELDS, OFFSET].flatMap((field) => (wanted.has(field) ? [[field, wanted.get(field) ?? '']] : []))
  return new URLSearchParams([...given, ['limit', String(PAGE_SIZE)]]).toString()
}

function SessionRow({ session }: { session: Listed }) {
  return (
    <div class="row">
      <a class="row-link" data-row href={toHash('sessions', session.id)} title={toLine(session.working_dir)}>
        <StateChip word={toStateWord(session.status)} />
        <span class="row-backend">{session.backend}</span>
        <span class="row-text">{toLine(session.title ?? session.initial_prompt)}</span>
        <span class="row-facts dim">
          {session.tags.map((tag) => (
            <span key={tag} class="tag">
              {tag}
            </span>
          ))}
          <Owner of={session} />
          <span>{toLine(nameOfRepository(session.working_dir))}</span>
          <span class="row-cost">
            {session.turn_count} {session.turn_count === 1 ? 'turn' : 'turns'}
          </span>
          <span class="row-amounts">
            <Tokens usage={session.token_usage} backend={session.backend} />
          </span>
          <Age time={session.last_used} />
        </span>
      </a>
    </div>
  )
}

function Pager({ page: { offset, sessions, total } }: { page: Found }) {
  const end = offset + sessions.length
  const show = (from: number) => setQuery({ [OFFSET]: from > 0 ? String(from) : '' })
  return (
    <nav class="actions" aria-label="More sessions">
      <button type="button" disabled={offset === 0} onClick={() => show(offset - PAGE_SIZE)}>
        Newer
      </button>
      <span class="dim">
        {sessions.length === 0 ? 0 : offset + 1} to {end} of {total}
      </span>
      <button type="button" disabled={end >= total} onClick={() => show(offset + PAGE_SIZE)}>
        Older
      </button>
    </nav>
  )
}
