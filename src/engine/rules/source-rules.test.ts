import { describe, expect, it } from 'vitest'
import type { Driver } from '../../../test/support/drive-run.ts'
import { amended, candidateOf, invalidOf, moved, pinned } from '../../../test/support/pinned-sources.ts'
import { stopped, waitingForChoice } from '../../../test/support/run-states.ts'
import { type Delta, having, lastOf, problemOf, tampered } from '../../../test/support/tampered-event.ts'
import { digest } from '../../kit/digest.ts'
import type { RunEvent } from '../state/run-event.shape.ts'

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
    [
      'exactly the resume events carry a resume result, and it names their operation',
      () => tampered(stopped(), { last_resume_result }),
    ],
    [
      'exactly the resume events carry a resume result, and it names their operation',
      () => tampered(resumed(), { last_resume_result: undefined }),
    ],
    [
      'only a refresh or a choice replaces the pinned source, and only in an issue-bound run',
      () => tampered(stopped({ source: pinned }), { pinned_source: moved(pinned, 'wind') }),
    ],
    [
      'an ad-hoc run is resumed without a source, an issue-bound run with one',
      () =>
        tampered(
          resumed(),
          { last_resume_result: { operation: 'source_refreshed', budget_applied: true } },
          'source_refreshed',
        ),
    ],
    [
      'an ad-hoc run is resumed without a source, an issue-bound run with one',
      () =>
        tampered(
          having(stopped({ source: pinned }), (driver) => driver.resume({ usePinnedSource: true })),
          { last_resume_result },
          'run_resumed',
        ),
    ],
    [
      'a source belongs to the pinned issue and keeps all its URLs',
      () => tampered(candidateFound(), { source_candidate: { ...candidateOf(amended), issue_id: 'I_x' } }),
    ],
    [
      'a source belongs to the pinned issue and keeps all its URLs',
      () => tampered(candidateFound(), { source_candidate: candidateOf(moved(amended, 'wind')) }),
    ],
    ['only an adoption changes the requirements', () => repinned(refreshed(), { manifest_revision: digest('') })],
    ['only an adoption changes the requirements', () => repinned(refreshed(), { requirements_revision: digest('') })],
    ['only an adoption changes the requirements', () => repinned(adopted(), { title: 'x' })],
    ['only an adoption changes the requirements', () => repinned(keptMoved(), { title: 'x' })],
    [
      'a candidate has a new id, is the only one, and pauses the run for a decision',
      () =>
        tampered(
          having(stopped({ source: pinned }), (driver) => driver.stop()),
          { source_candidate: invalidOf() },
        ),
    ],
    [
      'a candidate has a new id, is the only one, and pauses the run for a decision',
      () =>
        tampered(candidateFound(), {
          last_resume_result: { operation: 'source_candidate_created', budget_applied: false, candidate_id: 'other' },
        }),
    ],
    ['a candidate has a new id, is the only one, and pauses the run for a decision', () => candidateAgain()],
    ['a candidate has a new id, is the only one, and pauses the run for a decision', () => candidateOnCandidate()],
    [
      'a choice is about the pending candidate, removes it and leads to an action',
      () => tampered(resumed(), receipt(kept(), {})),
    ],
    ...[{ candidate_id: 'other' }, { choice: 'adopt' }, { resulting_action_id: 'other' }].map(
      (change): [string, () => string | undefined] => [
        'a choice is about the pending candidate, removes it and leads to an action',
        () => tampered(kept(), receipt(kept(), change)),
      ],
    ),
    [
      'a choice is about the pending candidate, removes it and leads to an action',
      () => tampered(kept(), { last_resume_result: { operation: 'source_pinned', budget_applied: true } }),
    ],
    ['a choice is about the pending candidate, removes it and leads to an action', () => choiceWithoutCandidate()],
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
