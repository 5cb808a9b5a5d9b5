/** What a person does with the work of a run: merge it, have it changed, open a pull request, take it, discard it. */
import { useSignal } from '@preact/signals'
import type { DrivenRun, RunChoice } from '../../drive/service/driven-run.shape.ts'
import { changeRun } from '../live/poll-runs.ts'

const SAYS: readonly (readonly [act: RunChoice, says: string])[] = [
  ['pull-request', 'Open pull request'],
  ['take', 'Take it'],
  ['undo-discard', 'Undo discard'],
  ['discard', 'Discard…'],
]

/** The endpoint of each is offered by the run itself. */
export function RunActs({ run, onChange }: { run: DrivenRun; onChange: () => void }) {
  const isSent = useSignal(false)
  const isSure = useSignal(false)
  const may = (act: RunChoice) => run.choices.includes(act)
  const send = async (act: RunChoice) => {
    isSent.value = true
    await changeRun(run.id, act)
    isSent.value = false
    isSure.value = false
  }
  const askAgain = () => {
    isSure.value = true
  }
  const others = SAYS.filter(([act]) => may(act))
  return (
    <>
      {mayFollowUp(run) && (
        <button type="button" disabled={isSent.value} onClick={onChange}>
          Change this
        </button>
      )}
      {others.map(([act, says]) =>
        act === 'discard' && isSure.value ? (
          <button key={act} type="button" class="danger" disabled={isSent.value} onClick={() => void send(act)}>
            Discard the work
          </button>
        ) : (
          <button
            key={act}
            type="button"
            disabled={isSent.value}
            onClick={() => (act === 'discard' ? askAgain() : void send(act))}
          >
            {says}
          </button>
        ),
      )}
      {may('merge') && (
        <button type="button" class="primary" disabled={isSent.value} onClick={() => void send('merge')}>
          Merge
        </button>
      )}
    </>
  )
}

/** After a delivery the branch can be worked on again. */
export function mayFollowUp({ choices }: DrivenRun): boolean {
  return choices.includes('follow-up')
}
