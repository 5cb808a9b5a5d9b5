import { useSignal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import type { Execution, ExecutionPage } from '../../executions/store/execution.shape.ts'
import { attempt } from '../live/actions.ts'
import { call } from '../live/api.ts'
import { toHash } from '../live/router.ts'
import { executionsVersion } from '../live/server-state.ts'
import { Age, Elapsed, StateChip } from '../parts/state-chip.tsx'
import { toStateWord } from '../text/state-word.ts'
import { toLine } from '../text/visible-text.ts'

const PAGE = 50

/** Newest first, a page at a time. */
export function ComparisonList() {
  const found = useSignal<readonly Execution[] | undefined>(undefined)
  const next = useSignal<string | undefined>(undefined)
  const read = (before?: string) =>
    attempt(async () => {
      const more = before === undefined ? '' : `&before=${before}`
      const page = await call<ExecutionPage>(`executions?kind=compare&limit=${PAGE}${more}`)
      found.value = before === undefined ? page.executions : [...(found.value ?? []), ...page.executions]
      next.value = page.next
    })
  useEffect(() => void read(), [executionsVersion.value])
  return (
    <div class="page">
      <h1>Comparisons</h1>
      {found.value === undefined && <p class="dim">Loading…</p>}
      {found.value?.length === 0 && (
        <p class="dim">
          No comparisons yet. <a href="#/new">Start a prompt</a> with several agents, or run <code>drover compare</code>
          .
        </p>
      )}
      {found.value?.map((each) => (
        <div key={each.id} class="row">
          <a class="row-link" data-row href={toHash('compare', each.id)}>
            <StateChip word={toStateWord(each.state)} />
            <span class="row-text">{toLine(each.prompt_start ?? 'A comparison without a stored prompt')}</span>
            <span class="row-facts dim">
              <Elapsed execution={each} />
              <Age time={each.created_at} />
            </span>
          </a>
        </div>
      ))}
      {next.value !== undefined && (
        <button type="button" onClick={() => void read(next.value)}>
          Show older
        </button>
      )}
    </div>
  )
}
