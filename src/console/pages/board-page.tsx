/** The runs of all repositories, in columns by state. */
import type { DrivenRun } from '../../drive/service/driven-run.shape.ts'
import {
  type BoardFilter,
  COLUMNS,
  type Column,
  choicesOf,
  columnOf,
  FILTERS,
  matches,
} from '../board/board-columns.ts'
import { QueueEnd, QueueItem } from '../board/queue-item.tsx'
import { areRunsKnown, queue, queuedRuns, runs, useQueue } from '../live/known-runs.ts'
import { route, toHash } from '../live/router.ts'
import { FilterSelect } from '../parts/filter-select.tsx'
import { Age, StateChip } from '../parts/state-chip.tsx'
import { actionsText, describeReason } from '../runs/run-facts.ts'
import { formatCost, nameOfRepository } from '../text/format.ts'
import { runStateWord } from '../text/state-word.ts'
import { toLine } from '../text/visible-text.ts'

const TITLES: Readonly<Record<Column, string>> = {
  queued: 'Queued',
  working: 'Working',
  'needs you': 'Needs you',
  delivered: 'Delivered',
  merged: 'Merged',
}

const NAMES: Readonly<Record<keyof BoardFilter, string>> = {
  repository: 'Repository',
  agent: 'Agent',
  label: 'Label',
  person: 'Person',
}

export function BoardPage() {
  useQueue()
  const { query } = route.value
  const filter = Object.fromEntries(FILTERS.map((name) => [name, query.get(name) ?? ''])) as BoardFilter
  const shown = runs.value.filter((run) => matches(run, filter))
  const hidden = shown.filter((run) => columnOf(run) === undefined).length
  return (
    <div class="page wide-page">
      <header class="page-head">
        <h1>Board</h1>
        <a class="button" href="#/new/change">
          New change
        </a>
      </header>
      <search class="filters">
        {FILTERS.map((name) => (
          <FilterSelect
            key={name}
            name={NAMES[name]}
            field={name}
            choices={choicesOf(runs.value, name)}
            {...(name === 'repository' && { viewOf: (path: string) => toLine(nameOfRepository(path)) })}
          />
        ))}
      </search>
      {!areRunsKnown.value && <p class="dim">Loading…</p>}
      <div class="board">
        {COLUMNS.map((column) => (
          <BoardColumn key={column} column={column} runs={runsIn(column, shown, filter)} />
        ))}
      </div>
      {hidden > 0 && (
        <p class="dim">
          {hidden === 1
            ? '1 run that was stopped, replaced or discarded is'
            : `${hidden} runs that were stopped, replaced or discarded are`}{' '}
          in the <a href="#/runs">list of runs</a>.
        </p>
      )}
    </div>
  )
}

/** The queue decides the order. Runs that it does not have yet come last. */
function runsIn(column: Column, shown: readonly DrivenRun[], filter: BoardFilter): readonly DrivenRun[] {
  const here = shown.filter((run) => columnOf(run) === column)
  if (column !== 'queued' || queue.value === undefined) return here
  const ordered = queuedRuns.value.filter((run) => matches(run, filter))
  const ids = new Set(ordered.map(({ id }) => id))
  return [...ordered, ...here.filter(({ id }) => !ids.has(id))]
}

function BoardColumn({ column, runs: list }: { column: Column; runs: readonly DrivenRun[] }) {
  const id = `column-${column.replace(' ', '-')}`
  return (
    <section class={`board-column ${id}`} aria-labelledby={id}>
      <h2 id={id}>
        {TITLES[column]} <span class="count">{list.length}</span>
      </h2>
      {list.length === 0 && <p class="dim board-empty">{EMPTY[column]}</p>}
      <ol class="plain">
        {list.map((run) =>
          column === 'queued' ? (
            <QueueItem key={run.id} run={run}>
              <Card run={run} />
            </QueueItem>
          ) : (
            <li key={run.id}>
              <Card run={run} />
            </li>
          ),
        )}
        {column === 'queued' && <QueueEnd />}
      </ol>
    </section>
  )
}

const EMPTY: Readonly<Record<Column, string>> = {
  queued: 'Nothing waits for its turn.',
  working: 'No agent works on a run.',
  'needs you': 'Nothing waits for you.',
  delivered: 'No branch waits to be merged.',
  merged: 'Nothing is merged yet.',
}

function Card({ run }: { run: DrivenRun }) {
  const { actions, spent, api_key: person, label } = run
  const column = columnOf(run)
  return (
    <a class="board-card" data-row href={toHash('runs', run.id)} draggable={false}>
      <span class="board-title">{toLine(run.title)}</span>
      {column === 'needs you' && <span class="board-why">{toLine(describeReason(run))}</span>}
      {column === 'working' && (
        <span class="board-step">
          <span>{toLine(run.action?.kind ?? run.verdict.word)}</span>
          <progress
            aria-label={`Actions of ${toLine(run.title)}`}
            value={actions.taken}
            max={actions.taken + actions.remaining}
            title={actionsText(run)}
          />
        </span>
      )}
      {column === 'delivered' && run.verdict.look_first.length > 0 && <span class="board-why">look at it first</span>}
      <span class="board-facts dim">
        <span>{toLine(nameOfRepository(run.repository))}</span>
        <span>{toLine(run.backend)}</span>
        {label !== undefined && <span class="tag">{toLine(label)}</span>}
        {person !== undefined && <span>{toLine(person)}</span>}
        {spent.cost_usd > 0 && <span>{formatCost(spent.cost_usd, spent.priced_usd !== undefined)}</span>}
        <Age time={run.updated_at} />
      </span>
      {column === 'needs you' && run.state === 'failed' && <StateChip word={runStateWord(run)} />}
    </a>
  )
}
