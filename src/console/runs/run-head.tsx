/** The head of a run, which stays in view: what it is, its state, and what its state asks the user to do. */
import { useSignal } from '@preact/signals'
import type { DrivenRun, RunChoice } from '../../drive/service/driven-run.shape.ts'
import { sender } from '../live/api.ts'
import { changeRun } from '../live/known-runs.ts'
import { toHash } from '../live/router.ts'
import { CopyButton } from '../parts/copy-button.tsx'
import { Icon } from '../parts/icon.tsx'
import { Menu } from '../parts/menu.tsx'
import { Age, Owner, StateChip } from '../parts/state-chip.tsx'
import { formatCost, formatDuration, nameOfRepository } from '../text/format.ts'
import { runStateWord } from '../text/state-word.ts'
import { toLine } from '../text/visible-text.ts'
import {
  ACTION_MEANS,
  actsInHead,
  cardButton,
  currentAction,
  hasPullRequest,
  lacksMerge,
  machineText,
  mergeText,
} from './run-facts.ts'

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
      <Owner of={run} />
      {action !== undefined && run.state === 'running' && (
        <span title={ACTION_MEANS[action.kind]}>now {toLine(action.kind)}</span>
      )}
      {spent.time_secs > 0 && <span>{formatDuration(spent.time_secs * 1000)}</span>}
      {spent.cost_usd > 0 && <span class="bar-wide">{formatCost(spent.cost_usd, spent.priced_usd !== undefined)}</span>}
      <span class="bar-wide">
        <Age time={run.updated_at} of="changed" />
      </span>
      {machine !== undefined && <span>{machine}</span>}
      {lacksMerge(run, sender.value?.may_merge) && <span>Merging needs a key with may_merge</span>}
      {issue !== undefined && <Address address={issue} says="Issue" />}
      {request !== undefined && <Address address={request} says="Pull request" />}
      {run.previous_run_id !== undefined && <a href={toHash('runs', run.previous_run_id)}>Previous round</a>}
      {run.next_run_id !== undefined && <a href={toHash('runs', run.next_run_id)}>Next round</a>}
    </div>
  )
}

/** A click copies the command that switches to it. */
function Branch({ name }: { name: string }) {
  const command = `git switch ${toLine(name)}`
  return (
    <CopyButton class="quiet branch path" text={command} title={command}>
      <Icon name="branch" />
      <span>{toLine(name)}</span>
    </CopyButton>
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

const SAYS: Readonly<Partial<Record<RunChoice, string>>> = {
  'follow-up': 'Change this',
  'pull-request': 'Open pull request',
  take: 'Take it',
  'undo-discard': 'Undo discard',
  first: 'Start next',
  skip: 'Skip this action',
  stop: 'Stop the run',
}

/**
 * What a person does with a run: what its state asks for as a button, and what is needed seldom in a menu. The endpoint of
 * each is offered by the run itself.
 */
function RunActs({ run, onChange }: { run: DrivenRun; onChange: () => void }) {
  const isSent = useSignal(false)
  const asked = useSignal<RunChoice | undefined>(undefined)
  const act = async (choice: RunChoice) => {
    if (choice === 'follow-up') return onChange()
    if (isAskedFirst(choice, run) && asked.value !== choice) {
      asked.value = choice
      return
    }
    isSent.value = true
    await changeRun(run.id, choice, bodyOf(choice, run))
    isSent.value = false
    asked.value = undefined
  }
  const says = (choice: RunChoice) => {
    const isAsked = asked.value === choice
    if (choice === 'merge') return isAsked ? 'I have looked: merge' : <MergeText run={run} />
    if (choice === 'discard') return isAsked ? 'Discard the work' : 'Discard…'
    return SAYS[choice]
  }
  const button = (choice: RunChoice, style = '') => (
    <button
      key={choice}
      type="button"
      class={choice === 'stop' || choice === 'discard' ? 'danger' : style}
      title={choice === 'merge' ? mergeText(run).join('') : undefined}
      disabled={isSent.value}
      onClick={() => void act(choice)}
    >
      {says(choice)}
    </button>
  )
  const { main, others } = actsInHead(run)
  const inMenu = others.filter((choice) => choice !== 'follow-up')
  const card = cardButton(run)
  return (
    <>
      {inMenu.length > 0 && <Menu name="More">{inMenu.map((choice) => button(choice))}</Menu>}
      {others.includes('follow-up') && button('follow-up')}
      {main !== undefined && button(main, 'primary')}
      {card !== undefined && (
        <button type="button" class="primary" onClick={showCard}>
          {card}
        </button>
      )}
    </>
  )
}

/** What cannot be undone with a click, if there is a reason to look first. */
function isAskedFirst(choice: RunChoice, { verdict }: DrivenRun): boolean {
  return choice === 'discard' || (choice === 'merge' && verdict.word === 'delivered, look first')
}

function MergeText({ run }: { run: DrivenRun }) {
  const [act, target] = mergeText(run)
  return (
    <>
      {act}
      <span class="bar-wide">{target}</span>
      {isAskedFirst('merge', run) && '…'}
    </>
  )
}

function bodyOf(choice: RunChoice, run: DrivenRun): object {
  if (choice === 'skip') return currentAction(run)
  return choice === 'merge' && hasPullRequest(run) ? { here: true } : {}
}

/** The field or the button that the run waits for. */
function showCard(): void {
  const card = document.querySelector('.needs')
  card?.scrollIntoView({ block: 'center' })
  card?.querySelector<HTMLElement>('input, button')?.focus()
}

/** After a delivery the branch can be worked on again. */
export function mayFollowUp({ choices }: DrivenRun): boolean {
  return choices.includes('follow-up')
}
