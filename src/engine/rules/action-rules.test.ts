import { describe, expect, it } from 'vitest'
import { destruction, destructiveAuthorization } from '../../../test/support/contract-examples.ts'
import type { Driver } from '../../../test/support/drive-run.ts'
import { outcomeOf } from '../../../test/support/drive-run.ts'
import { candidateOf, moved, pinned } from '../../../test/support/pinned-sources.ts'
import {
  atKind,
  atWork,
  stopped,
  waitingForConfirmation,
  waitingForDecision,
} from '../../../test/support/run-states.ts'
import { bare, type Delta, having, lastOf, problemOf, tampered } from '../../../test/support/tampered-event.ts'
import { digest } from '../../kit/digest.ts'

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
    ['exactly the submit events carry an outcome', () => tampered(submitted(), {}, 'answer_recorded')],
    ['exactly the submit events carry an outcome', () => tampered(submitted(), { action_update: { voided: true } })],
    [
      'exactly the skip events skip an action',
      () =>
        tampered(
          having(atWork(), (driver) => driver.skip()),
          { action_update: { voided: true } },
        ),
    ],
    [
      'an outcome is for the current action of an active run',
      () => tampered(submitted(), outcomeIn({ action_id: 'other' })),
    ],
    [
      'an outcome is for the current action of an active run',
      () => tampered(submitted(), outcomeIn({ action_kind: 'summarize' })),
    ],
    ['an outcome is for the current action of an active run', () => outcomeWhilePaused()],
    [
      'exactly a skipped review has a review projection',
      () =>
        tampered(
          having(atKind('review'), (driver) => driver.skip()),
          { action_update: { skipped: true } },
        ),
    ],
    ['a done, skipped or withdrawn action is no longer current', () => withdrawnButCurrent()],
    [
      'a current action is finished, skipped or withdrawn before it is replaced',
      () => tampered(stopped(), { action_update: undefined }),
    ],
    [
      'a run starts or continues with an orientation',
      () => tampered(resumed(), { current_action: { ...action(resumed()), kind: 'implement' } }),
    ],
    [
      'a run starts or continues with an orientation',
      () => tampered(atWork(), { current_action: { ...action(atWork()), kind: 'implement' } }),
    ],
    ...['run_id', 'goal'].map((field): [string, () => string | undefined] => [
      'an action has a new id and the run id, goal, source and requirements of its run',
      () => tampered(submitted(), { current_action: { ...action(submitted()), [field]: 'other' } }),
    ]),
    [
      'an action has a new id and the run id, goal, source and requirements of its run',
      () => tampered(submitted(), { current_action: { ...action(submitted()), action_id: 'action-1' } }),
    ],
    [
      'an action has a new id and the run id, goal, source and requirements of its run',
      () =>
        tampered(refreshed(), { current_action: { ...action(refreshed()), source: action(stoppedAtWork()).source } }),
    ],
    [
      'an action has a new id and the run id, goal, source and requirements of its run',
      () =>
        tampered(refreshed(), {
          current_action: { ...action(refreshed()), requirements: action(stoppedAtWork()).requirements },
        }),
    ],
    [
      'an action costs one unit of the budget, and only a resume changes the budget otherwise',
      () =>
        tampered(submitted(), { remaining_budget: 5, current_action: { ...action(submitted()), remaining_budget: 5 } }),
    ],
    [
      'an action costs one unit of the budget, and only a resume changes the budget otherwise',
      () => tampered(resumed(), { remaining_budget: 5 }),
    ],
    [
      'an action costs one unit of the budget, and only a resume changes the budget otherwise',
      () => tampered(stopped(), { remaining_budget: 5 }),
    ],
    [
      'a destructive authorization repeats the request that this event confirms',
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
      'a destructive authorization repeats the request that this event confirms',
      () =>
        tampered(confirmed(), {
          current_action: {
            ...action(confirmed()),
            destructive_authorization: { ...(action(confirmed())['destructive_authorization'] as object), ...change },
          },
        }),
    ]),
    [
      'a current action is finished, skipped or withdrawn before it is replaced',
      () => tampered(confirmed(), { current_action: { ...action(confirmed()), destructive_authorization: undefined } }),
    ],
    [
      'a destructive authorization repeats the request that this event confirms',
      () =>
        tampered(confirmed(), {
          action_update: { voided: true },
          current_action: { ...action(confirmed()), destructive_authorization: undefined },
        }),
    ],
    ['a destructive authorization repeats the request that this event confirms', () => confirmedAgain()],
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
