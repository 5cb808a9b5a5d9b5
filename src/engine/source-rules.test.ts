import { describe, expect, it } from 'vitest'
import type { Driver } from '../../test/support/drive-run.ts'
import { amended, candidateOf, invalidOf, moved, pinned } from '../../test/support/pinned-sources.ts'
import { stopped, waitingForChoice } from '../../test/support/run-states.ts'
import { type Delta, having, lastOf, problemOf, tampered } from '../../test/support/tampered-event.ts'
import { digest } from '../kit/digest.ts'
import type { RunEvent } from './event.shape.ts'

const action = (driver: Driver) => driver.run.current_action as unknown as Delta
const resumed = () => having(stopped(), (driver) => driver.resume())
const refreshed = () =>
  having(stopped({ source: pinned }), (driver) => driver.resume({ refreshed: candidateOf(moved(pinned, 'wind')) }))
const adopted = () =>
  having(waitingForChoice(), (driver) => driver.resume({ choice: 'adopt', candidateId: 'candidate-1' }))
const kept = () =>
  having(waitingForChoice(), (driver) => driver.resume({ choice: 'pinned', candidateId: 'candidate-1' }))
const receipt = (driver: Driver, change: Delta) => ({
  source_choice: { ...driver.run.source_choices.at(-1), ...change },
})
const last_resume_result = { operation: 'ad_hoc_resumed', budget_applied: true }

describe('the source of a run', () => {
  it.each<[string, () => string | undefined]>([
    ['a resume says what it did, and nothing else says so', () => tampered(stopped(), { last_resume_result })],
    [
      'a resume says what it did, and nothing else says so',
      () => tampered(resumed(), { last_resume_result: undefined }),
    ],
    [
      'a source is pinned anew by a refresh or a choice, and only where one was pinned before',
      () => tampered(stopped({ source: pinned }), { pinned_source: moved(pinned, 'wind') }),
    ],
    [
      'a run that serves no issue is resumed as such, and one that does is not',
      () =>
        tampered(
          resumed(),
          { last_resume_result: { operation: 'source_refreshed', budget_applied: true } },
          'source_refreshed',
        ),
    ],
    [
      'a run that serves no issue is resumed as such, and one that does is not',
      () =>
        tampered(
          having(stopped({ source: pinned }), (driver) => driver.resume({ usePinnedSource: true })),
          { last_resume_result },
          'run_resumed',
        ),
    ],
    [
      'a source stays that of its issue, wherever the issue moves',
      () => tampered(candidateFound(), { source_candidate: { ...candidateOf(amended), issue_id: 'I_x' } }),
    ],
    [
      'a source stays that of its issue, wherever the issue moves',
      () => tampered(candidateFound(), { source_candidate: candidateOf(moved(amended, 'wind')) }),
    ],
    ['requirements change by adoption alone', () => repinned(refreshed(), { manifest_revision: digest('') })],
    ['requirements change by adoption alone', () => repinned(refreshed(), { requirements_revision: digest('') })],
    ['requirements change by adoption alone', () => repinned(adopted(), { title: 'x' })],
    ['requirements change by adoption alone', () => repinned(keptMoved(), { title: 'x' })],
    [
      'a candidate is of the issue, new, and waits for a choice',
      () =>
        tampered(
          having(stopped({ source: pinned }), (driver) => driver.stop()),
          { source_candidate: invalidOf() },
        ),
    ],
    [
      'a candidate is of the issue, new, and waits for a choice',
      () =>
        tampered(candidateFound(), {
          last_resume_result: { operation: 'source_candidate_created', budget_applied: false, candidate_id: 'other' },
        }),
    ],
    ['a candidate is of the issue, new, and waits for a choice', () => candidateAgain()],
    ['a candidate is of the issue, new, and waits for a choice', () => candidateOnCandidate()],
    [
      'a choice is made once, about the candidate that waits, and leads to an action',
      () => tampered(resumed(), receipt(kept(), {})),
    ],
    ...[{ candidate_id: 'other' }, { choice: 'adopt' }, { resulting_action_id: 'other' }].map(
      (change): [string, () => string | undefined] => [
        'a choice is made once, about the candidate that waits, and leads to an action',
        () => tampered(kept(), receipt(kept(), change)),
      ],
    ),
    [
      'a choice is made once, about the candidate that waits, and leads to an action',
      () => tampered(kept(), { last_resume_result: { operation: 'source_pinned', budget_applied: true } }),
    ],
    ['a choice is made once, about the candidate that waits, and leads to an action', () => choiceWithoutCandidate()],
  ])('%s', (rule, find) => {
    expect(find()).toBe(rule)
  })
})

function candidateFound(): Driver {
  return having(stopped({ source: pinned }), (driver) => driver.resume({ refreshed: candidateOf(amended) }))
}

/** The last event with another source pinned, and an action for that one. */
function repinned(driver: Driver, change: Delta): string | undefined {
  const pinned_source = { ...(driver.run.pinned_source as object), ...change }
  const { manifest_revision, requirements_revision } = pinned_source as Record<string, string>
  const { source, requirements, ...rest } = action(driver)
  return tampered(driver, {
    pinned_source,
    current_action: {
      ...rest,
      source: { ...(source as object), manifest_revision, requirements_revision },
      requirements: { ...(requirements as object), requirements_revision },
    },
  })
}

function keptMoved(): Driver {
  const driver = stopped({ source: pinned })
  driver.resume({ refreshed: candidateOf(moved(amended, 'wind')) })
  driver.resume({ choice: 'pinned', candidateId: 'candidate-1' })
  return driver
}

function candidateAgain(): string | undefined {
  const driver = kept()
  driver.stop()
  driver.resume({ refreshed: candidateOf(amended, 'candidate-2') })
  const last = { operation: 'source_candidate_created', budget_applied: false, candidate_id: 'candidate-1' }
  return tampered(driver, { source_candidate: candidateOf(amended), last_resume_result: last })
}

function candidateOnCandidate(): string | undefined {
  const driver = waitingForChoice()
  driver.stop()
  const { event } = lastOf(candidateFound())
  const source_candidate = candidateOf(amended, 'candidate-2')
  const last = { operation: 'source_candidate_created', budget_applied: false, candidate_id: 'candidate-2' }
  return problemOf(driver.run, {
    ...event,
    data: { ...event.data, source_candidate, last_resume_result: last, observations_appended: ['x'] },
  } as RunEvent)
}

function choiceWithoutCandidate(): string | undefined {
  const driver = having(stopped({ source: pinned }), (each) => each.resume({ usePinnedSource: true }))
  const last = { operation: 'source_pinned', budget_applied: true, candidate_id: 'candidate-1' }
  return tampered(driver, { ...receipt(kept(), {}), last_resume_result: last }, 'source_pinned')
}
