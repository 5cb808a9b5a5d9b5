import type { DrivenRun } from '../../drive/service/driven-run.shape.ts'
import { toHash } from '../live/router.ts'
import { Age, StateChip } from '../parts/state-chip.tsx'
import { formatCost, formatCount } from '../text/format.ts'
import { runStateWord } from '../text/state-word.ts'
import { toLine } from '../text/visible-text.ts'
import { actionsText, machineText } from './run-facts.ts'

/** A run in a list. */
export function RunRow({ run }: { run: DrivenRun }) {
  const { action, spent } = run
  return (
    <div class="row">
      <a class="row-link" data-row href={toHash('runs', run.id)}>
        <StateChip word={runStateWord(run)} />
        <span class="row-backend">{toLine(run.backend)}</span>
        <span class="row-text">{toLine(run.title)}</span>
      </a>
      <div class="row-facts dim">
        <Age time={run.updated_at} />
        {run.state === 'running' && action !== undefined && <span>{toLine(action.kind)}</span>}
        <span>{actionsText(run)}</span>
        <span>
          {formatCount(spent.tokens)} tokens
          {spent.cost_usd > 0 && `, ${formatCost(spent.cost_usd, spent.priced_usd !== undefined)}`}
        </span>
        {run.branch !== undefined && <span class="path">{toLine(run.branch)}</span>}
        <span class="path">{toLine(run.repository)}</span>
        <RunMachine run={run} />
      </div>
    </div>
  )
}

function RunMachine({ run }: { run: DrivenRun }) {
  const text = machineText(run)
  return text === undefined ? null : <span class="dim">{text}</span>
}
