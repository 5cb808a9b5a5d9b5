import { useSignal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import type { Execution, ExecutionPage } from '../../executions/store/execution.shape.ts'
import type { ComparisonView } from '../../service/comparison.shape.ts'
import { call } from '../live/api.ts'
import { toHash } from '../live/router.ts'
import { topExecutions } from '../live/server-state.ts'
import { useNear } from '../live/use-layout.ts'
import { usePages, withLive } from '../live/use-pages.ts'
import { Icon } from '../parts/icon.tsx'
import { Age, Elapsed } from '../parts/state-chip.tsx'
import { toLine } from '../text/visible-text.ts'
import { ComparisonState } from './comparison-head.tsx'

const PATH = 'executions?kind=compare&limit=50'

/** Newest first, a page at a time. */
export function ComparisonList() {
  const { pages, older } = usePages<ExecutionPage>(PATH)
  const live = topExecutions.value.filter(({ kind }) => kind === 'compare')
  const found = withLive(pages?.flatMap(({ executions }) => executions) ?? [], live)
  return (
    <div class="page">
      <header class="page-head">
        <h1>Comparisons</h1>
        <a class="button" href="#/new/compare">
          New comparison
        </a>
      </header>
      {pages === undefined && <p class="dim">Loading…</p>}
      {pages !== undefined && found.length === 0 && (
        <p class="dim">
          No comparisons yet. <a href="#/new/compare">Start one</a>, or run <code>drover compare</code>.
        </p>
      )}
      {found.map((each) => (
        <ComparisonRow key={each.id} execution={each} />
      ))}
      {older !== undefined && (
        <button type="button" onClick={older}>
          Show older
        </button>
      )}
    </div>
  )
}

function ComparisonRow({ execution }: { execution: Execution }) {
  const { id, state, prompt_start: prompt, created_at: time } = execution
  const { element, wasNear } = useNear<HTMLDivElement>()
  const view = useSignal<ComparisonView | undefined>(undefined)
  // Who took part is known only to the comparison itself. A row without it is still a row.
  useEffect(() => {
    if (wasNear)
      void call<ComparisonView>(`compare/${id}`).then(
        (found) => (view.value = found),
        () => undefined,
      )
  }, [id, state, wasNear])
  return (
    <div ref={element} class="row">
      <a class="row-link" data-row href={toHash('compare', id)}>
        <ComparisonState state={state} view={view.value} />
        <span class="row-text">{toLine(prompt ?? 'A comparison without a stored prompt')}</span>
        <span class="row-facts dim">
          {view.value?.contenders.map(({ name }) => (
            <Contender key={name} name={name} isWinner={name === view.value?.winner} />
          ))}
          <Elapsed execution={execution} />
          <Age time={time} />
        </span>
      </a>
    </div>
  )
}

function Contender({ name, isWinner }: { name: string; isWinner: boolean }) {
  if (!isWinner) return <span>{toLine(name)}</span>
  return (
    <span class="verdict-passed">
      <Icon name="check" /> {toLine(name)} kept
    </span>
  )
}
