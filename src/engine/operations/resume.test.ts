import { describe, expect, it } from 'vitest'
import { codeOf, type Driver, type Resume, refusalOf } from '../../../test/support/drive-run.ts'
import { amended, candidateOf, invalidOf, pinned } from '../../../test/support/pinned-sources.ts'
import {
  atWork,
  ended,
  gitUnavailable,
  lackingEnvironment,
  outOfBudget,
  stopped,
  waitingForChoice,
  waitingForConfirmation,
  waitingForDecision,
} from '../../../test/support/run-states.ts'
import { BRIEFS } from '../texts/compose-brief.ts'

const bound = () => stopped({ source: pinned })
const refreshed = candidateOf(pinned, 'candidate-2')
const adopt = { choice: 'adopt', candidateId: 'candidate-1' }
const keep = { choice: 'pinned', candidateId: 'candidate-1' }

const chosen = (): Driver => {
  const driver = waitingForChoice()
  driver.resume(adopt)
  return driver
}

const chosenAndEnded = (): Driver => {
  const driver = chosen()
  driver.submit()
  driver.submit()
  return driver
}

describe('resume, in the order of its checks', () => {
  it.each<[string, () => Driver, Resume, string]>([
    ['no budget, before all else', ended, { budget: 0 }, 'invalid_budget'],
    ['a budget that is too large', ended, { budget: 1001 }, 'invalid_budget'],
    ['a choice that is none', ended, { choice: 'both' }, 'invalid_source_choice'],
    ['a choice that was made', chosen, adopt, 'done'],
    ['a choice that was made, with a budget', chosen, { ...adopt, budget: 3 }, 'done'],
    ['a choice that was made, at the end', chosenAndEnded, adopt, 'done'],
    ['a choice that was made the other way', chosen, keep, 'source_choice_conflict'],
    ['a run that has ended', ended, {}, 'run_already_ended'],
    [
      'a choice that was made and more, at the end',
      chosenAndEnded,
      { ...adopt, usePinnedSource: true },
      'run_already_ended',
    ],
    ['an active run', atWork, {}, 'run_not_resumable'],
    ['a run that waits for a decision', waitingForDecision, {}, 'run_not_resumable'],
    ['a run that waits for a confirmation', waitingForConfirmation, {}, 'run_not_resumable'],
    ['a refresh of an ad-hoc run', stopped, { refreshed }, 'source_mode_not_allowed'],
    ['the source of a run that has none', stopped, { usePinnedSource: true }, 'source_mode_not_allowed'],
    ['a choice for a run that has none', stopped, { choice: 'pinned' }, 'source_mode_not_allowed'],
    ['a candidate for a run that has none', stopped, { candidateId: 'x' }, 'source_mode_not_allowed'],
    ['an ad-hoc run', stopped, { usePinnedSource: false }, 'done'],
    ['a refresh where a choice is due', waitingForChoice, { refreshed }, 'source_candidate_pending'],
    [
      'the pinned source where a choice is due',
      waitingForChoice,
      { usePinnedSource: true },
      'source_candidate_pending',
    ],
    ['no choice where one is due', waitingForChoice, {}, 'source_choice_required'],
    ['a choice about nothing', waitingForChoice, { choice: 'pinned' }, 'source_choice_required'],
    ['a candidate and no choice', waitingForChoice, { candidateId: 'candidate-1' }, 'source_choice_required'],
    ['another candidate', waitingForChoice, { ...keep, candidateId: 'other' }, 'stale_source_candidate'],
    ['a choice', waitingForChoice, keep, 'done'],
    [
      'a choice without a candidate, where none is due',
      bound,
      { choice: 'pinned' },
      'source_choice_requires_candidate',
    ],
    ['a candidate without a choice', bound, { candidateId: 'x' }, 'source_choice_requires_candidate'],
    ['a choice where none is due', bound, keep, 'stale_source_candidate'],
    ['a refresh that keeps the source', bound, { refreshed, usePinnedSource: true }, 'source_mode_conflict'],
    ['no source mode', bound, {}, 'source_mode_required'],
    ['the pinned source', bound, { usePinnedSource: true }, 'done'],
    ['a refresh', bound, { refreshed }, 'done'],
  ])('%s', (_what, make, request, code) => {
    const driver = make()
    const { run } = driver
    expect(codeOf(() => driver.resume(request))).toBe(code)
    if (code !== 'done') expect(driver.run).toBe(run)
  })

  it('returns the result of an earlier choice and changes nothing', () => {
    const driver = chosen()
    const { length } = driver.events
    expect(driver.resume({ ...adopt, budget: 900 })).toMatchObject({
      resume_operation: 'source_amended',
      budget_applied: true,
      action: { remaining_budget: 6 },
    })
    expect(driver.events).toHaveLength(length)
  })

  it('knows every earlier choice', () => {
    const driver = chosen()
    driver.stop()
    driver.resume({ refreshed: invalidOf('candidate-2') })
    expect(codeOf(() => driver.resume(adopt))).toBe('stale_source_candidate')
    driver.resume({ choice: 'pinned', candidateId: 'candidate-2' })
    expect(driver.resume(adopt)).toMatchObject({ resume_operation: 'source_amended' })
    expect(driver.resume({ choice: 'pinned', candidateId: 'candidate-2' })).toMatchObject({
      resume_operation: 'source_pinned',
    })
  })

  it('offers what the run waits for instead', () => {
    const ids = (driver: Driver, request: Resume = {}) =>
      refusalOf(() => driver.resume(request)).next.variants.map(({ id }) => id)
    expect(ids(waitingForDecision())).toEqual(['answer-decision', 'skip-action'])
    expect(ids(bound())).toEqual(['refresh-source', 'use-pinned-source'])
    expect(ids(waitingForChoice())).toEqual(['keep-pinned', 'adopt'])
    expect(ids(chosen(), keep)).toEqual(['submit-outcome-file', 'submit-outcome-stdin', 'skip-action'])
    expect(ids(stopped(), { budget: 0 })).toEqual([])
  })
})

describe('a resumed run', () => {
  it.each<[string, () => Driver, Resume, string, string | undefined, string]>([
    ['ad hoc', stopped, {}, 'ad_hoc_resumed', undefined, BRIEFS.resumed],
    [
      'on its pinned source',
      bound,
      { usePinnedSource: true },
      'source_refresh_skipped',
      'source_refresh_skipped',
      BRIEFS.sourceKept,
    ],
    [
      'on the same issue',
      bound,
      { refreshed },
      'source_refreshed',
      'source_refreshed_unchanged',
      BRIEFS.sourceRefreshed,
    ],
    ['by adoption', waitingForChoice, adopt, 'source_amended', 'source_amended', BRIEFS.sourceChosen],
    ['by keeping its source', waitingForChoice, keep, 'source_pinned', 'source_pinned', BRIEFS.sourceChosen],
  ])('%s starts with an orientation', (_what, make, request, operation, token, brief) => {
    const driver = make()
    const state = driver.resume({ ...request, budget: 5 })
    expect(state).toMatchObject({ state: 'active', resume_operation: operation, budget_applied: true })
    expect(state.action).toMatchObject({ kind: 'orient', brief, remaining_budget: 4 })
    expect(driver.run.observations.at(-1)).toBe(token)
    expect(driver.run.last_resume_result).toEqual({
      operation,
      budget_applied: true,
      ...('candidateId' in request && { candidate_id: 'candidate-1' }),
    })
    expect(driver.events.at(-1)?.type).toBe(operation === 'ad_hoc_resumed' ? 'run_resumed' : operation)
  })

  it('may wait for a choice, without spending budget', () => {
    const driver = bound()
    const state = driver.resume({ refreshed: candidateOf(amended), budget: 5 })
    expect(state).toMatchObject({
      state: 'paused',
      pause_reason: 'decision_required',
      resume_operation: 'source_candidate_created',
      budget_applied: false,
      source_candidate: { candidate_id: 'candidate-1' },
      pinned_source: pinned,
    })
    expect(state.action).toBeUndefined()
    expect(driver.run.remaining_budget).toBe(7)
  })

  it.each<[string, () => Driver, number | undefined, number]>([
    ['what was asked for', stopped, 1000, 999],
    ['what was asked for, be it less', stopped, 1, 0],
    ['what was left', stopped, undefined, 6],
    ['as much as at first when nothing was left', () => outOfBudget({ budget: 1 }), undefined, 2],
    ['as much as at first, if that is more', spent, undefined, 3],
  ])('has %s', (_what, make, budget, left) => {
    const driver = make()
    driver.resume(budget === undefined ? {} : { budget })
    expect(driver.run.remaining_budget).toBe(left)
  })

  it('withdraws the action whose environment was unavailable', () => {
    const driver = lackingEnvironment()
    driver.resume()
    expect(driver.run.actions[0]).toMatchObject({ voided: true })
  })

  it('notes the pending suggestion', () => {
    const driver = gitUnavailable()
    driver.resume()
    expect(driver.run.pending_actions).toEqual([])
    expect(driver.run.uncertainties).toEqual([
      'unresolved_suggestion: implement was suggested but not issued, because the run was interrupted: Go and implement.',
    ])
  })
})

function spent(): Driver {
  const driver = atWork({ budget: 4 })
  for (let i = 0; i < 3; i++) driver.submit({ suggested_actions: [{ kind: 'clarify', brief: 'Ask.' }] })
  driver.submit()
  return driver
}
