/** What a person does with a run: what its state asks for as a button, and what is needed seldom in a menu. */
import { useSignal } from '@preact/signals'
import type { DrivenRun, RunChoice } from '../../drive/service/driven-run.shape.ts'
import { changeRun } from '../live/known-runs.ts'
import { Menu } from '../parts/menu.tsx'
import { actsInHead, cardButton, currentAction, hasPullRequest } from './run-facts.ts'

const SAYS: Readonly<Partial<Record<RunChoice, string>>> = {
  'follow-up': 'Change this',
  'pull-request': 'Open pull request',
  take: 'Take it',
  'undo-discard': 'Undo discard',
  first: 'Start next',
  skip: 'Skip this action',
  stop: 'Stop the run',
}

/** The endpoint of each is offered by the run itself. */
export function RunActs({ run, onChange }: { run: DrivenRun; onChange: () => void }) {
  const isSent = useSignal(false)
  const isDiscardAsked = useSignal(false)
  const act = async (choice: RunChoice) => {
    if (choice === 'follow-up') return onChange()
    if (choice === 'discard' && !isDiscardAsked.value) {
      isDiscardAsked.value = true
      return
    }
    isSent.value = true
    await changeRun(run.id, choice, bodyOf(choice, run))
    isSent.value = false
    isDiscardAsked.value = false
  }
  const says = (choice: RunChoice) => {
    if (choice === 'merge') return hasPullRequest(run) ? 'Merge here' : 'Merge'
    if (choice === 'discard') return isDiscardAsked.value ? 'Discard the work' : 'Discard…'
    return SAYS[choice]
  }
  const button = (choice: RunChoice, style = '') => (
    <button
      key={choice}
      type="button"
      class={choice === 'stop' || choice === 'discard' ? 'danger' : style}
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
