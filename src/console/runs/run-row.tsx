import type { DrivenRun } from '../../drive/service/driven-run.shape.ts'
import { toHash } from '../live/router.ts'
import { isRunning, serverState } from '../live/server-state.ts'
import { Age, Owner, RowCost, StateChip } from '../parts/state-chip.tsx'
import { nameOfRepository } from '../text/format.ts'
import { runStateWord } from '../text/state-word.ts'
import { toLine } from '../text/visible-text.ts'
import { actionsText, machineText } from './run-facts.ts'

/** A run in a list, on one line. While it works, a bar shows how many of its actions it has taken. */
export function RunRow({ run }: { run: DrivenRun }) {
  const { action, actions, spent } = run
  const isLive = run.state === 'running'
  return (
    <div class="row">
      <a class="row-link" data-row href={toHash('runs', run.id)} title={toLine(run.branch ?? '')}>
        <StateChip word={runStateWord(run)} />
        <span class="row-backend">{toLine(run.backend)}</span>
        <span class="row-text">{toLine(run.title)}</span>
        {isLive && (
          <span class="activity">{toLine([action?.kind ?? '', activityOf(run)].filter(Boolean).join(' · '))}</span>
        )}
        {isLive && <progress value={actions.taken} max={actions.taken + actions.remaining} title={actionsText(run)} />}
        <span class="row-facts dim">
          <Owner of={run} />
          <span>{toLine(nameOfRepository(run.repository))}</span>
          <RunMachine run={run} />
          <RowCost cost={spent.cost_usd} isPriced={spent.priced_usd !== undefined} />
          <Age time={run.updated_at} />
        </span>
      </a>
    </div>
  )
}

function RunMachine({ run }: { run: DrivenRun }) {
  const text = machineText(run)
  return text === undefined ? null : <span class="dim">{text}</span>
}

/** What its agent does right now: an agent of a run works in its worktree. */
function activityOf({ worktree }: DrivenRun): string {
  const { executions, activities } = serverState.value
  const agent = [...executions.values()].find(
    (each) => each.kind === 'action' && isRunning(each) && each.workdir === worktree,
  )
  return agent === undefined ? '' : (activities.get(agent.id)?.text ?? '')
}
