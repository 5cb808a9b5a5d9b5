/** An execution in a list. */
import type { Execution } from '../../executions/store/execution.shape.ts'
import { cancelExecution } from '../live/actions.ts'
import { toHash } from '../live/router.ts'
import { isRunning, serverState } from '../live/server-state.ts'
import { Age, Elapsed, Owner, RowCost, StateChip, Tokens } from '../parts/state-chip.tsx'
import { nameExecution, pageOf, partsOf, titleExecution } from '../text/execution-facts.ts'
import { executionStateWord } from '../text/state-word.ts'
import { toLine } from '../text/visible-text.ts'

export function ExecutionRow({ execution }: { execution: Execution }) {
  const { id, backend, kind, prompt_start: start, created_at: created, workdir } = execution
  const { activities, executions } = serverState.value
  const activity = activities.get(id)
  const isLive = isRunning(execution)
  const parts = start === undefined ? partsOf(id, executions.values()) : []
  return (
    <div class="row">
      <a class="row-link" data-row href={toHash(pageOf(kind), id)} title={toLine(workdir ?? '')}>
        <StateChip word={executionStateWord(execution)} />
        <span class="row-backend">{nameExecution(execution)}</span>
        {kind === 'dry_run' && <span class="tag">dry run</span>}
        <span class="row-text">{titleExecution(execution, parts)}</span>
        {isLive && <span class="activity">{toLine(activity?.text ?? '')}</span>}
        <span class="row-facts dim">
          <Owner of={execution} />
          <Tokens usage={execution.usage ?? activity?.usage} backend={backend} />
          <RowCost cost={execution.cost_usd} isPriced={execution.cost_kind === 'priced'} />
          {isLive ? <Elapsed execution={execution} /> : <Age time={created} />}
        </span>
      </a>
      {isLive && (
        <button type="button" class="small" onClick={() => void cancelExecution(id)}>
          Cancel
        </button>
      )}
    </div>
  )
}
