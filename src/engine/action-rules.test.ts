import { describe, expect, it } from 'vitest'
import { destruction, destructiveAuthorization } from '../../test/support/contract-examples.ts'
import type { Driver } from '../../test/support/drive-run.ts'
import { outcomeOf } from '../../test/support/drive-run.ts'
import { candidateOf, moved, pinned } from '../../test/support/pinned-sources.ts'
import { atKind, atWork, stopped, waitingForConfirmation, waitingForDecision } from '../../test/support/run-states.ts'
import { bare, type Delta, having, lastOf, problemOf, tampered } from '../../test/support/tampered-event.ts'
import { digest } from '../kit/digest.ts'

const action = (driver: Driver) => driver.run.current_action as unknown as Delta
const submitted = () => having(atWork(), (driver) => driver.submit())
const answered = () => having(waitingForDecision(), (driver) => driver.answer({ text: 'x' }))
const confirmation = { confirmDestructive: true, scopeSha256: destruction.destructive_request.scope_sha256 }
const confirmed = () => having(waitingForConfirmation(), (driver) => driver.answer(confirmation))
const resumed = () => having(stopped(), (driver) => driver.resume())
const refreshed = () =>
  having(stopped({ source: pinned }), (driver) => driver.resume({ refreshed: candidateOf(moved(pinned, 'wind')) }))

describe('the actions of a run', () => {
  it.each<[string, () => string | undefined]>([
    ['an outcome is submitted, and nothing else brings one', () => tampered(submitted(), {}, 'answer_recorded')],
    [
      'an outcome is submitted, and nothing else brings one',
      () => tampered(submitted(), { action_update: { voided: true } }),
    ],
    [
      'an action is skipped by being skipped',
      () =>
        tampered(
          having(atWork(), (driver) => driver.skip()),
          { action_update: { voided: true } },
        ),
    ],
    [
      'an outcome belongs to the action that an active run waits for',
      () => tampered(submitted(), outcomeIn({ action_id: 'other' })),
    ],
    [
      'an outcome belongs to the action that an active run waits for',
      () => tampered(submitted(), outcomeIn({ action_kind: 'summarize' })),
    ],
    ['an outcome belongs to the action that an active run waits for', () => outcomeWhilePaused()],
    [
      'a skipped review, and nothing else, has a projection of a review',
      () =>
        tampered(
          having(atKind('review'), (driver) => driver.skip()),
          { action_update: { skipped: true } },
        ),
    ],
    ['an action that is done, skipped or withdrawn is not current any more', () => withdrawnButCurrent()],
    ['an action does not disappear', () => tampered(stopped(), { action_update: undefined })],
    [
      'a run that goes on, or starts, gets an orientation',
      () => tampered(resumed(), { current_action: { ...action(resumed()), kind: 'implement' } }),
    ],
    [
      'a run that goes on, or starts, gets an orientation',
      () => tampered(atWork(), { current_action: { ...action(atWork()), kind: 'implement' } }),
    ],
    ...['run_id', 'goal'].map((field): [string, () => string | undefined] => [
      'an action is of its run, for its goal and its requirements, under an id of its own',
      () => tampered(submitted(), { current_action: { ...action(submitted()), [field]: 'other' } }),
    ]),
    [
      'an action is of its run, for its goal and its requirements, under an id of its own',
      () => tampered(submitted(), { current_action: { ...action(submitted()), action_id: 'action-1' } }),
    ],
    [
      'an action is of its run, for its goal and its requirements, under an id of its own',
      () =>
        tampered(refreshed(), { current_action: { ...action(refreshed()), source: action(stoppedAtWork()).source } }),
    ],
    [
      'an action is of its run, for its goal and its requirements, under an id of its own',
      () =>
        tampered(refreshed(), {
          current_action: { ...action(refreshed()), requirements: action(stoppedAtWork()).requirements },
        }),
    ],
    [
      'an action costs one of the budget, and only a run that goes on gets another',
      () =>
        tampered(submitted(), { remaining_budget: 5, current_action: { ...action(submitted()), remaining_budget: 5 } }),
    ],
    [
      'an action costs one of the budget, and only a run that goes on gets another',
      () => tampered(resumed(), { remaining_budget: 5 }),
    ],
    [
      'an action costs one of the budget, and only a run that goes on gets another',
      () => tampered(stopped(), { remaining_budget: 5 }),
    ],
    [
      'only what was asked for and confirmed just now may be destroyed',
      () =>
        tampered(submitted(), {
          current_action: {
            ...action(submitted()),
            kind: 'implement',
            destructive_authorization: destructiveAuthorization,
          },
        }),
    ],
    ...[{ originating_action_id: 'other' }, { impact: 'More.' }].map((change): [string, () => string | undefined] => [
      'only what was asked for and confirmed just now may be destroyed',
      () =>
        tampered(confirmed(), {
          current_action: {
            ...action(confirmed()),
            destructive_authorization: { ...(action(confirmed())['destructive_authorization'] as object), ...change },
          },
        }),
    ]),
    [
      'an action does not disappear',
      () => tampered(confirmed(), { current_action: { ...action(confirmed()), destructive_authorization: undefined } }),
    ],
    [
      'only what was asked for and confirmed just now may be destroyed',
      () =>
        tampered(confirmed(), {
          action_update: { voided: true },
          current_action: { ...action(confirmed()), destructive_authorization: undefined },
        }),
    ],
    ['only what was asked for and confirmed just now may be destroyed', () => confirmedAgain()],
  ])('%s', (rule, find) => {
    expect(find()).toBe(rule)
  })
})

function outcomeIn(change: Delta): Delta {
  const outcome = { ...outcomeOf(atWork().run), ...change }
  return { action_update: { outcome, outcome_payload_sha256: digest('') } }
}

function stoppedAtWork(): Driver {
  return atWork({ source: pinned })
}

function outcomeWhilePaused(): string | undefined {
  const { event } = lastOf(submitted())
  const data = { ...event.data, state: 'active', pause_reason: null } as const
  return problemOf(waitingForDecision().run, { ...event, data })
}

function withdrawnButCurrent(): string | undefined {
  const event = bare('action_skipped', { action_update: { skipped: true } })
  return problemOf(waitingForDecision().run, event)
}

function confirmedAgain(): string | undefined {
  const { event } = lastOf(confirmed())
  const granted = event.data.current_action as unknown as Delta
  return tampered(answered(), { current_action: { ...granted, action_id: 'action-3', remaining_budget: 6 } })
}
