import { describe, expect, it } from 'vitest'
import { decision } from '../../test/support/contract-examples.ts'
import { CLEAN, type Driver } from '../../test/support/drive-run.ts'
import { atWork, ended, gitUnavailable, stopped, waitingForDecision } from '../../test/support/run-states.ts'
import { type Delta, having, lastOf, problemOf, tampered } from '../../test/support/tampered-event.ts'
import { replay } from './apply-event.ts'
import type { RunEvent } from './event.shape.ts'

const submitted = () => having(atWork(), (driver) => driver.submit())
const answered = () => having(waitingForDecision(), (driver) => driver.answer({ text: 'x' }))
const resumed = () => having(stopped(), (driver) => driver.resume())
const replaced = () =>
  having(answered(), (driver) => {
    driver.submit({ status: 'needs_input', pause: { ...decision, supersedes_answer_action_id: 'action-1' } })
    driver.answer({ text: 'y' })
  })

describe('an event', () => {
  it('is refused where it does not begin a run, or begins one again', () => {
    const [first, second] = submitted().events
    expect(problemOf(undefined, second as RunEvent)).toBe('it does not begin a run')
    expect(problemOf(atWork().run, first as RunEvent)).toBe('the run has begun already')
  })

  it('is refused by another run', () => {
    expect(tampered(submitted(), { run_id: 'other' })).toBe('it belongs to the run other')
  })

  it.each<[string, () => Driver, Delta]>([
    ['a field that does not change', submitted, { state: 'active' }],
    ['a review that is as due as before', submitted, { review_pending: false }],
    ['a worktree that is as before', submitted, { current_git: CLEAN }],
    [
      'a mark on an action that is not there',
      () => having(gitUnavailable(), (driver) => driver.stop()),
      { action_update: { voided: true } },
    ],
    [
      'an answer replaced that is not there',
      replaced,
      { answers_superseded: { action_ids: ['other'], superseded_by: 'x' } },
    ],
    ['nothing pending where nothing was', submitted, { pending_actions: [] }],
    ['no candidate where none was', resumed, { source_candidate: null }],
    ['a last look that was had before', () => ended(), { pause_reason: null }],
  ])('says exactly what changed, and not %s', (_what, make, change) => {
    expect(tampered(make(), change)).toBe('it does not say exactly what changed')
  })

  it('leaves out what did not change', () => {
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

describe('replay', () => {
  it('makes nothing of no events', () => {
    expect(replay([])).toBeUndefined()
  })

  it.each([
    [127, 127, 0],
    [128, 128, 0],
    [129, 128, 1],
    [300, 128, 172],
  ])('keeps the last observations at hand: of %s, %s', (count, keeps, omitted) => {
    const driver = atWork()
    const observations = Array.from({ length: count }, (_, index) => `Observation ${index}.`)
    driver.submit({ observations })
    expect(driver.run.observations).toEqual(observations.slice(-keeps))
    expect(driver.run.omitted_observations).toBe(omitted)
    driver.submit({ observations: ['One more.'] })
    expect(driver.run.omitted_observations).toBe(Math.max(0, count + 1 - 128))
  })
})
