/** What a run waits for, and what a person can do about it. */

import { useSignal } from '@preact/signals'
import type { DrivenRun, RunChoice } from '../../drive/service/driven-run.shape.ts'
import { changeRun } from '../live/known-runs.ts'
import { toHash } from '../live/router.ts'
import { Age } from '../parts/state-chip.tsx'
import { Decisive } from '../parts/text-view.tsx'
import { toLine, toVisible } from '../text/visible-text.ts'
import { currentAction, describePauseLimit, describeQuestion, describeReason, whichRun } from './run-facts.ts'

const toTitle = (words: string) => words.slice(0, 1).toUpperCase() + words.slice(1)

type Wait = NonNullable<DrivenRun['waits_for']>

export function RunCard({ run, isOnRunPage = false }: { run: DrivenRun; isOnRunPage?: boolean }) {
  return (
    <article class="card needs" data-row tabIndex={-1} aria-label={`Run ${toLine(run.title)}, ${whichRun(run)}`}>
      <header>
        <strong>{isOnRunPage ? toTitle(describeReason(run)) : toLine(run.title)}</strong>
        {!isOnRunPage && <span>{describeReason(run)}</span>}
        {!isOnRunPage && <a href={toHash('runs', run.id)}>Open</a>}
      </header>
      {!isOnRunPage && (
        <div class="row-facts dim">
          <span>{whichRun(run)}</span>
          <Age time={run.updated_at} />
        </div>
      )}
      <p class="as-is">{toVisible(describeQuestion(run))}</p>
      {run.waits_for?.destructive_request !== undefined && (
        <DestructiveRequest request={run.waits_for.destructive_request} />
      )}
      <RunChoices run={run} />
    </article>
  )
}

/** The whole request: a person must see what the digest permits. */
function DestructiveRequest({ request }: { request: NonNullable<Wait['destructive_request']> }) {
  return (
    <div class="destructive">
      <p>
        <strong>Impact:</strong> {toVisible(request.impact)}
      </p>
      <Decisive text={request.targets.map(({ kind, value }) => `${kind}: ${value}`).join('\n')} />
      <p class="dim">
        Digest of exactly this: <span class="path">{request.scope_sha256}</span>
      </p>
    </div>
  )
}

/** The buttons that the run offers now. */
function RunChoices({ run }: { run: DrivenRun }) {
  const text = useSignal('')
  const isSent = useSignal(false)
  const may = (choice: RunChoice) => run.choices.includes(choice)
  const actionId = run.waits_for?.action_id
  const ofAction = actionId === undefined ? {} : { action_id: actionId }
  const send = async (choice: RunChoice, body: object = {}) => {
    isSent.value = true
    if (await changeRun(run.id, choice, body)) text.value = ''
    isSent.value = false
  }
  const scope = run.waits_for?.destructive_request?.scope_sha256
  if (run.choices.length === 0) return null
  return (
    <form
      class="actions"
      onSubmit={(event) => {
        event.preventDefault()
        if (text.value.trim() !== '') void send('answer', { text: text.value, ...ofAction })
      }}
    >
      {may('answer') && (
        <>
          <input
            aria-label="Answer"
            placeholder={scope === undefined ? 'Answer' : 'Decline, and say what to do instead'}
            value={text.value}
            onInput={(event) => (text.value = event.currentTarget.value)}
          />
          <button type="submit" class="primary" disabled={isSent.value || text.value.trim() === ''}>
            {scope === undefined ? 'Answer' : 'Decline'}
          </button>
        </>
      )}
      {may('confirm') && scope !== undefined && (
        <button
          type="button"
          class="danger"
          disabled={isSent.value}
          onClick={() => void send('confirm', { scope_sha256: scope, ...ofAction })}
        >
          Permit exactly this, once
        </button>
      )}
      {may('resume') && <Resume run={run} isSent={isSent.value} onSend={(body) => void send('resume', body)} />}
      {may('first') && (
        <button type="button" disabled={isSent.value} onClick={() => void send('first')}>
          Start next
        </button>
      )}
      {may('skip') && (
        <button type="button" disabled={isSent.value} onClick={() => void send('skip', currentAction(run))}>
          Skip this action
        </button>
      )}
      {may('stop') && (
        <button type="button" class="danger" disabled={isSent.value} onClick={() => void send('stop')}>
          Stop the run
        </button>
      )}
    </form>
  )
}

type ResumeProps = { run: DrivenRun; isSent: boolean; onSend: (body: object) => void }

function Resume({ run, isSent, onSend }: ResumeProps) {
  const value = useSignal('')
  const { field, says, least } = describePauseLimit(run)
  const isEnough = least === undefined || Number(value.value) > least
  return (
    <>
      <input
        class="small"
        type="number"
        min={0}
        step="any"
        aria-label={says}
        placeholder={says}
        title={says}
        value={value.value}
        onInput={(event) => (value.value = event.currentTarget.value)}
      />
      <button
        type="button"
        class="primary"
        disabled={isSent || !isEnough}
        onClick={() => onSend(value.value === '' ? {} : { [field]: Number(value.value) })}
      >
        Resume
      </button>
    </>
  )
}
