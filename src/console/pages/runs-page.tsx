/** The driven runs, by state. */
import type { DrivenRun } from '../../drive/service/driven-run.shape.ts'
import { areRunsKnown, runs } from '../live/known-runs.ts'
import { route } from '../live/router.ts'
import { SearchField } from '../parts/filter-select.tsx'
import { RunRow } from '../runs/run-row.tsx'

const GROUPS: readonly { name: string; states: readonly DrivenRun['state'][] }[] = [
  { name: 'Needs you', states: ['waiting', 'paused', 'interrupted', 'failed'] },
  { name: 'Working', states: ['running', 'waiting_for_limit'] },
  { name: 'Queued', states: ['queued'] },
  { name: 'Stopped', states: ['stopped'] },
  { name: 'Ended', states: ['ended', 'merged', 'discarded', 'continued'] },
]

export function RunsPage() {
  const search = route.value.query.get('search') ?? ''
  const wanted = runs.value.filter(({ goal }) => goal.toLowerCase().includes(search.toLowerCase()))
  return (
    <div class="page">
      <h1>Runs</h1>
      <search class="filters">
        <SearchField says="Search in goals" />
        <a class="button" href="#/report">
          Report
        </a>
        <a class="button" href="#/new/change">
          New change
        </a>
      </search>
      {wanted.length === 0 && <NoRun />}
      {GROUPS.map(({ name, states }) => (
        <Group key={name} name={name} runs={wanted.filter(({ state }) => states.includes(state))} />
      ))}
    </div>
  )
}

function NoRun() {
  if (!areRunsKnown.value) return <p class="dim">Loading…</p>
  if (runs.value.length > 0) return <p class="dim">No goal matches.</p>
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
