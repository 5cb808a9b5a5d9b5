/** The sessions: search, filters, tags, usage. */
import { useSignal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import type { Session } from '../../sessions/session.shape.ts'
import { attempt } from '../live/actions.ts'
import { call } from '../live/api.ts'
import { findDraft } from '../live/drafts.ts'
import { toHash } from '../live/router.ts'
import { backends, executionsVersion } from '../live/server-state.ts'
import { Owner } from '../parts/owner.tsx'
import { Age, StateChip, Tokens } from '../parts/state-chip.tsx'
import { toStateWord } from '../text/state-word.ts'
import { toLine } from '../text/visible-text.ts'

const PAGE_SIZE = 50
/** The user is still typing. */
const TYPING_MS = 200
const STATUSES = ['active', 'paused', 'completed', 'error']

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
type Found = { sessions: readonly Listed[]; total: number }

export function SessionsPage() {
  // Kept while another page is open, so that the way back leads to the same list.
  const [search, backend] = [findDraft('sessions search'), findDraft('sessions backend')]
  const [status, tag] = [findDraft('sessions status'), findDraft('sessions tag')]
  const offset = useSignal(0)
  const found = useSignal<Found | undefined>(undefined)
  const query = toQuery({ search, backend, status, tag }, offset.value)
  useEffect(() => {
    let isOld = false
    const timer = setTimeout(async () => {
      const page = await attempt(() => call<Found>(`sessions?${query}`))
      if (!isOld && page !== undefined) found.value = page
    }, TYPING_MS)
    return () => {
      isOld = true
      clearTimeout(timer)
    }
    // Also when a turn begins or ends.
  }, [query, executionsVersion.value])
  const set = (field: { value: string }) => (event: { currentTarget: { value: string } }) => {
    field.value = event.currentTarget.value
    offset.value = 0
  }
  return (
    <div class="page">
      <h1>Sessions</h1>
      <search class="filters">
        <input
          type="search"
          data-search
          aria-label="Search in titles and first prompts"
          placeholder="Search ( / )"
          value={search.value}
          onInput={set(search)}
        />
        <Filter name="Agent" field={backend} choices={backends.value.map(({ name }) => name)} onChange={set(backend)} />
        <Filter name="Status" field={status} choices={STATUSES} onChange={set(status)} />
        <input aria-label="Tag" placeholder="Tag" value={tag.value} onInput={set(tag)} />
      </search>
      {found.value === undefined && <p class="dim">Loading…</p>}
      {found.value?.sessions.length === 0 && (
        <NoSession isFiltered={[search, backend, status, tag].some(({ value }) => value !== '')} />
      )}
      {found.value?.sessions.map((session) => (
        <SessionRow key={session.id} session={session} />
      ))}
      {found.value !== undefined && found.value.total > 0 && <Pager page={found.value} offset={offset} />}
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

type Fields = Record<'search' | 'backend' | 'status' | 'tag', { value: string }>

function toQuery(fields: Fields, offset: number): string {
  const given = Object.entries(fields).flatMap(([name, { value }]) => (value === '' ? [] : [[name, value]]))
  return new URLSearchParams([...given, ['limit', String(PAGE_SIZE)], ['offset', String(offset)]]).toString()
}

type FilterProps = {
  name: string
  field: { value: string }
  choices: readonly string[]
  onChange: (event: { currentTarget: { value: string } }) => void
}

function Filter({ name, field, choices, onChange }: FilterProps) {
  return (
    <select aria-label={name} value={field.value} onChange={onChange}>
      <option value="">{name}: all</option>
      {choices.map((choice) => (
        <option key={choice} value={choice}>
          {choice}
        </option>
      ))}
    </select>
  )
}

function SessionRow({ session }: { session: Listed }) {
  return (
    <div class="row">
      <a class="row-link" data-row href={toHash('sessions', session.id)}>
        <StateChip word={toStateWord(session.status)} />
        <span class="row-backend">{session.backend}</span>
        <span class="row-text">{toLine(session.title ?? session.initial_prompt)}</span>
      </a>
      <div class="row-facts dim">
        <Age time={session.last_used} />
        <span>
          {session.turn_count} {session.turn_count === 1 ? 'turn' : 'turns'}
        </span>
        <Tokens usage={session.token_usage} />
        {session.tags.map((tag) => (
          <span key={tag} class="tag">
            {tag}
          </span>
        ))}
        <Owner session={session} />
        <span class="path">{toLine(session.working_dir)}</span>
      </div>
    </div>
  )
}

function Pager({ page, offset }: { page: Found; offset: { value: number } }) {
  const { value } = offset
  const end = value + page.sessions.length
  return (
    <nav class="actions" aria-label="More sessions">
      <button type="button" disabled={value === 0} onClick={() => (offset.value = Math.max(0, value - PAGE_SIZE))}>
        Newer
      </button>
      <span class="dim">
        {page.sessions.length === 0 ? 0 : value + 1} to {end} of {page.total}
      </span>
      <button type="button" disabled={end >= page.total} onClick={() => (offset.value = value + PAGE_SIZE)}>
        Older
      </button>
    </nav>
  )
}
