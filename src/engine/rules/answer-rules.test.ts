import { describe, expect, it } from 'vitest'
import { decision } from '../../../test/support/contract-examples.ts'
import type { Driver } from '../../../test/support/drive-run.ts'
import { amended, candidateOf, pinned } from '../../../test/support/pinned-sources.ts'
import { atWork, waitingForDecision } from '../../../test/support/run-states.ts'
import { type Delta, having, lastOf, problemOf, tampered } from '../../../test/support/tampered-event.ts'
import { digest } from '../../kit/digest.ts'
import { digestAnswer } from '../state/answer-digest.ts'
import type { RunEvent } from '../state/run-event.shape.ts'

const submitted = () => having(atWork(), (driver) => driver.submit())
const answered = () => having(waitingForDecision(), (driver) => driver.answer({ text: 'x' }))
const answeredWithoutBudget = () => having(waitingForDecision({ budget: 1 }), (driver) => driver.answer({ text: 'x' }))
const replaced = () =>
  having(answered(), (driver) => {
    driver.submit({ status: 'needs_input', pause: { ...decision, supersedes_answer_action_id: 'action-1' } })
    driver.answer({ text: 'y' })
  })
const answer = (driver: Driver, change: Delta) => ({ answer_appended: { ...driver.run.answers.at(-1), ...change } })
const CONFIRMATION =
  'a confirmation names the requested scope and is not an active decision; other answers name no scope'

describe('the answers in a run', () => {
  it.each<[string, () => string | undefined]>([
    ['exactly the answer events carry an answer', () => tampered(submitted(), answer(answered(), {}))],
    ['exactly the answer events carry an answer', () => tampered(answered(), { answer_appended: undefined })],
    ...[
      { action_id: 'other' },
      { text: 'y' },
      { superseded_by: 'z' },
      { source_revision: digest('') },
      { requirements_revision: digest('') },
      { payload_sha256: digest('') },
    ].map((change): [string, () => string | undefined] => [
      'an answer is for the question of the current action, with its own digest and revisions',
      () => tampered(answered(), answer(answered(), change)),
    ]),
    [
      'an answer is for the question of the current action, with its own digest and revisions',
      () => answerWhileActive(),
    ],
    [CONFIRMATION, () => tampered(answered(), answer(answered(), { active: false }))],
    [
      CONFIRMATION,
      () =>
        tampered(answered(), answer(answered(), { ...signed({ scopeSha256: digest('') }), scope_sha256: digest('') })),
    ],
    [
      CONFIRMATION,
      () =>
        tampered(
          answeredWithoutBudget(),
          answer(answeredWithoutBudget(), {
            ...signed({ confirmDestructive: true }),
            confirm_destructive: true,
            active: false,
          }),
        ),
    ],
    [
      'an answer is superseded by a new answer or by new requirements',
      () => tampered(replaced(), { answers_superseded: { action_ids: ['action-1'], superseded_by: 'other' } }),
    ],
    [
      'an answer is superseded by a new answer or by new requirements',
      () => supersededBy('requirements:other', adoptedWithDecision()),
    ],
    [
      'an answer is superseded by a new answer or by new requirements',
      () =>
        tampered(
          having(answered(), (driver) => driver.submit()),
          { answers_superseded: { action_ids: ['action-1'], superseded_by: 'x' } },
        ),
    ],
  ])('%s', (rule, find) => {
    expect(find()).toBe(rule)
  })
})

function answerWhileActive(): string | undefined {
  const { event } = lastOf(answered())
  const { pause_reason: _reason, state: _state, ...data } = event.data
  const current_action = { ...(data.current_action as object), action_id: 'new' }
  return problemOf(atWork().run, { ...event, data: { ...data, current_action } } as RunEvent)
}

function adoptedWithDecision(): Driver {
  const driver = waitingForDecision({ source: pinned })
  driver.answer({ text: 'x' })
  driver.stop()
  driver.resume({ refreshed: candidateOf(amended) })
  driver.resume({ choice: 'adopt', candidateId: 'candidate-1' })
  return driver
}

function supersededBy(superseded_by: string, driver: Driver): string | undefined {
  return tampered(driver, { answers_superseded: { action_ids: ['action-1'], superseded_by } })
}

function signed(given: Delta): Delta {
  return { payload_sha256: digestAnswer({ actionId: 'action-1', text: 'x', confirmDestructive: false, ...given }) }
}
