/** The driven runs, by state. */
import type { DrivenRun, DrivenRunPage } from '../../drive/service/driven-run.shape.ts'
import { attempt } from '../live/actions.ts'
import { sender } from '../live/api.ts'
import { areRunsKnown, runs } from '../live/known-runs.ts'
import { route } from '../live/router.ts'
import { mayBeOlderRuns, readOlder } from '../live/server-state.ts'
import { usePages, withLive } from '../live/use-pages.ts'
import { FilterSelect, SearchField } from '../parts/filter-select.tsx'
import { RunRow } from '../runs/run-row.tsx'

const GROUPS: readonly { name: string; states: readonly DrivenRun['state'][] }[] = [
  { name: 'Needs you', states: ['waiting', 'paused', 'interrupted', 'failed'] },
  { name: 'Working', states: ['running', 'waiting_for_limit'] },
  { name: 'Queued', states: ['queued'] },
  { name: 'Stopped', states: ['stopped'] },
  { name: 'Ended', states: ['ended', 'merged', 'discarded', 'continued'] },
]

const PAGE_SIZE = '100'
/** The server takes no longer ones. */
const MAX_SEARCH = 200

export function RunsPage() {
  const search = (route.value.query.get('search') ?? '').trim().slice(0, MAX_SEARCH)
  const key = route.value.query.get('key') ?? ''
  const isFiltered = search !== '' || key !== ''
  const { pages, older } = usePages<DrivenRunPage>(isFiltered ? toPath({ search, key }) : undefined)
  const isWanted = (run: DrivenRun) => contains(run, search) && (key === '' || run.api_key === key)
  const found = pages?.flatMap((page) => page.runs).filter(isWanted) ?? []
  const wanted = withLive(found, runs.value.filter(isWanted))
  const more = !isFiltered && mayBeOlderRuns.value ? () => void attempt(readOlder) : older
  return (
    <div class="page">
      <h1>Runs</h1>
      <search class="filters">
        <SearchField says="Search in goals" />
        <FilterSelect name="API key" field="key" choices={keysOf(runs.value)} />
        <a class="button" href="#/report">
          Report
        </a>
        <a class="button" href="#/new/change">
          New change
        </a>
      </search>
      {wanted.length === 0 && (
        <NoRun isFiltered={isFiltered} isRead={areRunsKnown.value && (!isFiltered || pages !== undefined)} />
      )}
      {GROUPS.map(({ name, states }) => (
        <Group key={name} name={name} runs={wanted.filter(({ state }) => states.includes(state))} />
      ))}
      {more !== undefined && (
        <button type="button" onClick={more}>
          Show older
        </button>
      )}
    </div>
  )
}

/** An empty filter is none. */
const toPath = (filter: { search: string; key: string }) =>
  `runs?${new URLSearchParams({ ...filter, limit: PAGE_SIZE })}`

/** None if all runs are those of the reader. */
function keysOf(known: readonly DrivenRun[]): readonly string[] {
  const keys = [...new Set(known.flatMap(({ api_key: key }) => key ?? []))].sort()
  return keys.every((key) => key === sender.value?.name) ? [] : keys
}

/** As the server finds it. */
function contains({ id, goal }: DrivenRun, search: string): boolean {
  return goal.toLowerCase().includes(search.toLowerCase()) || id.startsWith(search)
}

function NoRun({ isFiltered, isRead }: { isFiltered: boolean; isRead: boolean }) {
  if (!isRead) return <p class="dim">Loading…</p>
  if (isFiltered) return <p class="dim">No run matches.</p>
  return (
    <p class="dim">
      No runs yet. In a run, agents make a change, from goal to branch. <a href="#/new/change">Start one</a>.
    </p>
  )
}

function Group({ name, runs: shown }: { name: string; runs: readonly DrivenRun[] }) {
  if (shown.length === 0) return null
  return (
    <section>
      <h2>
        {name} <span class="count">{shown.length}</span>
      </h2>
      {shown.map((run) => (
        <RunRow key={run.id} run={run} />
      ))}
    </section>
  )
}
