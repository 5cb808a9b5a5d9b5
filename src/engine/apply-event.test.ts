import { describe, expect, it } from 'vitest'
import { decision } from '../../test/support/contract-examples.ts'
import { CLEAN, type Driver } from '../../test/support/drive-run.ts'
import { atWork, ended, gitUnavailable, stopped, waitingForDecision } from '../../test/support/run-states.ts'
import { type Delta, having, lastOf, problemOf, tampered } from '../../test/support/tampered-event.ts'
import type { RunEvent } from './state/run-event.shape.ts'

const submitted = () => having(atWork(), (driver) => driver.submit())
const answered = () => having(waitingForDecision(), (driver) => driver.answer({ text: 'x' }))
const resumed = () => having(stopped(), (driver) => driver.resume())
const replaced = () =>
  having(answered(), (driver) => {
    driver.submit({ status: 'needs_input', pause: { ...decision, supersedes_answer_action_id: 'action-1' } })
    driver.answer({ text: 'y' })
  })

describe('an event', () => {
  it('is refused if it does not start a run, or starts one twice', () => {
    const [first, second] = submitted().events
    expect(problemOf(undefined, second as RunEvent)).toBe('it does not start a run')
    expect(problemOf(atWork().run, first as RunEvent)).toBe('the run is already started')
  })

  it('is refused if it belongs to another run', () => {
    expect(tampered(submitted(), { run_id: 'other' })).toBe('it belongs to the run other')
  })

  it.each<[string, () => Driver, Delta]>([
    ['a field that did not change', submitted, { state: 'active' }],
    ['an unchanged pending review', submitted, { review_pending: false }],
    ['an unchanged worktree', submitted, { current_git: CLEAN }],
    [
      'an update of an action that does not exist',
      () => having(gitUnavailable(), (driver) => driver.stop()),
      { action_update: { voided: true } },
    ],
    [
      'a superseded answer that does not exist',
      replaced,
      { answers_superseded: { action_ids: ['other'], superseded_by: 'x' } },
    ],
    ['an empty list of suggestions that was empty before', submitted, { pending_actions: [] }],
    ['a removed candidate that did not exist', resumed, { source_candidate: null }],
    ['a removed pause reason that did not exist', () => ended(), { pause_reason: null }],
  ])('states exactly what changed, so it is refused with %s', (_what, make, change) => {
    expect(tampered(make(), change)).toBe('it does not state exactly what changed')
  })

  it('omits unchanged fields', () => {
    const { event } = lastOf(submitted())
    expect(Object.keys(event.data)).toEqual([
      'event_version',
      'contract_version',
      'run_id',
      'updated_at',
      'remaining_budget',
      'action_update',
      'current_action',
    ])
  })
})

describe('a run', () => {
  it.each([
    [127, 127, 0],
    [128, 128, 0],
    [129, 128, 1],
    [300, 128, 172],
  ])('holds the newest 128 observations: of %s, %s', (count, held, omitted) => {
    const driver = atWork()
    const observations = Array.from({ length: count }, (_, index) => `Observation ${index}.`)
    driver.submit({ observations })
    expect(driver.run.observations).toEqual(observations.slice(-held))
    expect(driver.run.omitted_observations).toBe(omitted)
    driver.submit({ observations: ['One more.'] })
    expect(driver.run.omitted_observations).toBe(Math.max(0, count + 1 - 128))
  })
})
