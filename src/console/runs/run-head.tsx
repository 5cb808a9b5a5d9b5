/** The head of a run, which stays in view: what it is, its state, and what its state asks the user to do. */
import type { DrivenRun } from '../../drive/service/driven-run.shape.ts'
import { tell } from '../live/actions.ts'
import { toHash } from '../live/router.ts'
import { Icon } from '../parts/icon.tsx'
import { Age, StateChip } from '../parts/state-chip.tsx'
import { formatCost, formatDuration, nameOfRepository } from '../text/format.ts'
import { runStateWord } from '../text/state-word.ts'
import { toLine } from '../text/visible-text.ts'
import { RunActs } from './run-acts.tsx'
import { machineText } from './run-facts.ts'

export function RunHead({ run, onChange }: { run: DrivenRun; onChange: () => void }) {
  return (
    <>
      <header class="run-head">
        <StateChip word={runStateWord(run)} />
        <h1>{toLine(run.title).slice(0, 200)}</h1>
        <div class="run-action">
          <RunActs run={run} onChange={onChange} />
        </div>
      </header>
      <RunFacts run={run} />
    </>
  )
}

function RunFacts({ run }: { run: DrivenRun }) {
  const { action, branch, delivered, issue, spent } = run
  const machine = machineText(run)
  const request = delivered?.pull_request
  return (
    <div class="facts run-facts">
      <span title={toLine(run.repository)}>{toLine(nameOfRepository(run.repository))}</span>
      {branch !== undefined && <Branch name={branch} />}
      <span>
        {toLine(run.backend)}
        {run.review_backend !== undefined && ` → ${toLine(run.review_backend)}`}
        {run.is_demo === true && ' (demo)'}
      </span>
      {action !== undefined && run.state === 'running' && <span>now {toLine(action.kind)}</span>}
      {spent.time_secs > 0 && <span>{formatDuration(spent.time_secs * 1000)}</span>}
      {spent.cost_usd > 0 && <span class="bar-wide">{formatCost(spent.cost_usd, spent.priced_usd !== undefined)}</span>}
      <span class="bar-wide">
        <Age time={run.updated_at} of="changed" />
      </span>
      {machine !== undefined && <span>{machine}</span>}
      {issue !== undefined && <Address address={issue} says="Issue" />}
      {request !== undefined && <Address address={request} says="Pull request" />}
      {run.previous_run_id !== undefined && <a href={toHash('runs', run.previous_run_id)}>Previous round</a>}
      {run.next_run_id !== undefined && <a href={toHash('runs', run.next_run_id)}>Next round</a>}
    </div>
  )
}

/** A click copies the command that switches to it. */
function Branch({ name }: { name: string }) {
  const copy = async () => {
    await navigator.clipboard.writeText(`git switch ${name}`)
    tell('Copied: the command that switches to the branch.')
  }
  return (
    <button
      type="button"
      class="quiet branch path"
      title="Copy git switch"
      onClick={() => void copy().catch(() => tell(`git switch ${toLine(name)}`))}
    >
      <Icon name="branch" />
      <span>{toLine(name)}</span>
    </button>
  )
}

/** Only an address of the web becomes a link. */
function Address({ address, says }: { address: string; says: string }) {
  if (!/^https?:\/\//.test(address)) return <span class="path">{toLine(address)}</span>
  const number = /\/(\d+)$/.exec(address)?.[1]
  return (
    <a href={address} target="_blank" rel="noopener noreferrer">
      {number === undefined ? says : `${says} #${number}`}
    </a>
  )
}
