import { describe, expect, it } from 'vitest'
import { decision, destruction, environment } from '../../../test/support/contract-examples.ts'
import {
  CLEAN,
  changed,
  codeOf,
  type Driver,
  GIT_UNAVAILABLE,
  outcomeOf,
  refusalOf,
} from '../../../test/support/drive-run.ts'
import {
  atKind,
  atWork,
  ended,
  outOfBudget,
  stopped,
  waitingForConfirmation,
  waitingForDecision,
} from '../../../test/support/run-states.ts'
import type { SuggestedAction } from '../../contract/outcome.shape.ts'

const suggestion = (kind: SuggestedAction['kind']) => ({ kind, brief: ` Go and ${kind}. ` })
const again = (driver: Driver, change: object = {}) => {
  const [record] = driver.run.actions
  return driver.submitOutcome({ ...outcomeOf(driver.run), ...record?.outcome, ...change }, 'action-1')
}

describe('submit, in the order of its checks', () => {
  it.each<[string, () => Driver, (driver: Driver) => unknown, string]>([
    [
      'another outcome of an action that was withdrawn',
      answered,
      (driver) => again(driver, { summary: 'x' }),
      'stale_action',
    ],
    ['the same outcome of an action that was withdrawn', answered, again, 'done'],
    ['the same outcome again', () => atKind('summarize'), again, 'done'],
    ['the same outcome again, at the end', ended, again, 'done'],
    ['another outcome', () => atKind('summarize'), (driver) => again(driver, { summary: 'x' }), 'outcome_conflict'],
    ['an outcome for a stopped run', stopped, (driver) => driver.submit({}, 'action-1'), 'run_not_active'],
    ['an outcome for a run that has ended', ended, (driver) => driver.submit({}, 'other'), 'run_not_active'],
    [
      'an action that was withdrawn, in a paused run',
      withdrawnThenPaused,
      (driver) => driver.submit({}, 'action-1'),
      'stale_action',
    ],
    ['an outcome for a paused run', outOfBudget, (driver) => driver.submit({}, 'other'), 'run_not_active'],
    ['an action that is not current', atWork, (driver) => driver.submit({}, 'other'), 'stale_action'],
    ['an action that was skipped', skipped, (driver) => driver.submit({}, 'action-1'), 'stale_action'],
    [
      'an outcome that names another action',
      atWork,
      (driver) => driver.submitOutcome({ ...outcomeOf(driver.run), action_id: 'other' }, driver.actionId()),
      'invalid_outcome',
    ],
    ['an outcome of another kind', atWork, (driver) => driver.submit({ action_kind: 'summarize' }), 'invalid_outcome'],
    [
      'a decision to be replaced that is not there',
      atWork,
      (driver) =>
        driver.submit({ status: 'needs_input', pause: { ...decision, supersedes_answer_action_id: 'other' } }),
      'invalid_decision_supersession',
    ],
    ['a fitting outcome', atWork, (driver) => driver.submit(), 'done'],
  ])('%s', (_what, make, operate, code) => {
    const driver = make()
    const { run, events } = driver
    const count = events.length
    expect(codeOf(() => operate(driver))).toBe(code)
    if (code !== 'done') expect([driver.run, events.length]).toEqual([run, count])
  })

  it('offers what to do next with every refusal', () => {
    const driver = waitingForDecision()
    expect(refusalOf(() => driver.submit({}, 'other'))).toEqual({
      next: expect.objectContaining({ operation: 'answer' }),
      details: { run_id: 'run-1', state: 'paused' },
    })
    const invalid = refusalOf(() => atWork().submit({ action_kind: 'summarize' }))
    expect(invalid.details).toBeUndefined()
    expect(invalid.next.operation).toBe('action')
  })

  it('changes nothing for a repeated outcome', () => {
    const driver = atKind('summarize')
    const { length } = driver.events
    again(driver)
    expect(driver.events).toHaveLength(length)
  })
})

describe('an outcome that needs input', () => {
  it.each([
    ['orient', 'decision_required', decision],
    ['orient', 'environment_unavailable', environment],
    ['clarify', 'decision_required', decision],
    ['clarify', 'environment_unavailable', environment],
    ['implement', 'decision_required', decision],
    ['implement', 'environment_unavailable', environment],
    ['implement', 'destructive_confirmation_required', destruction],
  ] as const)('of %s pauses the run: %s', (action_kind, reason, pause) => {
    const driver = atKind(action_kind)
    const { remaining_budget, current_action } = driver.run
    driver.setGit(changed())
    driver.submit({ action_kind, status: 'needs_input', pause })
    expect(driver.run).toMatchObject({ state: 'paused', pause_reason: reason, remaining_budget, current_action })
    expect(driver.run.current_git).toEqual(changed())
    expect(driver.run.review_pending).toBe(true)
  })

  it('waits for its environment if git fails, whatever it asked for', () => {
    const driver = atKind('implement')
    driver.setGit(GIT_UNAVAILABLE)
    driver.submit({ action_kind: 'implement', status: 'needs_input', pause: destruction })
    expect(driver.run).toMatchObject({ state: 'paused', pause_reason: 'environment_unavailable' })
    expect(driver.run.current_action).toBeDefined()
    expect(driver.run.known_issues).toEqual([
      'git_observation_failed: the worktree could not be observed after implement: git\\u000afailed',
    ])
  })
})

describe('an outcome', () => {
  it('is stored with everything that it reports', () => {
    const driver = atKind('implement')
    const activity = { kind: 'test', command: 'npm test', exit_code: 1, summary: 'One fails.' } as const
    driver.submit({
      action_kind: 'implement',
      observations: ['Noticed.', ''],
      known_issues: ['Wrong.'],
      implementation: {
        result: 'applied',
        files_changed: [],
        activities: [activity],
        uncertainties: ['Not sure.'],
        attempts: 2,
      },
    })
    expect(driver.run.observations.slice(0, 2)).toEqual(['Noticed.', ''])
    expect(driver.run).toMatchObject({ known_issues: ['Wrong.'], uncertainties: ['Not sure.'], activities: [activity] })
    expect(driver.run.actions[1]).toMatchObject({ outcome_payload_sha256: expect.stringMatching(/^sha256:/) })
  })

  it('of a review stores its uncertainties', () => {
    const driver = atKind('review')
    driver.submit({
      action_kind: 'review',
      review: { result: 'no_findings_reported', findings: [], uncertainties: ['Hm.'] },
    })
    expect(driver.run.uncertainties).toContain('Hm.')
  })

  it('ends a destructive authorization', () => {
    const driver = waitingForConfirmation()
    driver.answer({ confirmDestructive: true, scopeSha256: destruction.destructive_request.scope_sha256 })
    expect(driver.run.current_action?.destructive_authorization).toBeDefined()
    driver.submit({ status: 'needs_input', pause: environment, action_kind: 'implement' })
    expect(driver.run.current_action?.destructive_authorization).toBeDefined()
    driver.skip()
    expect(driver.run.current_action?.destructive_authorization).toBeUndefined()
  })
})

describe('what follows an outcome', () => {
  const statuses = { orient: 'partial', clarify: 'error', implement: 'completed' } as const

  it.each([
    ['orient', true, 'review'],
    ['clarify', true, 'review'],
    ['implement', true, 'review'],
    ['orient', false, 'summarize'],
    ['clarify', false, 'summarize'],
    ['implement', false, 'summarize'],
  ] as const)('of %s, changed: %s, is %s', (kind, isChanged, next) => {
    const driver = atKind(kind)
    if (isChanged) driver.setGit(changed())
    driver.submit({ action_kind: kind, status: statuses[kind] })
    expect(driver.run.current_action?.kind).toBe(next)
    expect(driver.run.review_pending).toBe(isChanged)
  })

  it('is a review first: the suggestion is dropped and noted', () => {
    const driver = atWork()
    driver.setGit(changed())
    driver.submit({ suggested_actions: [suggestion('implement')] })
    expect(driver.run).toMatchObject({ current_action: { kind: 'review' }, pending_actions: [] })
    expect(driver.run.uncertainties).toContain(
      'unresolved_suggestion: implement was suggested but not issued, because a review comes first:  Go and implement. ',
    )
  })

  it.each(['clarify', 'implement', 'summarize'] as const)('is the suggested action: %s', (kind) => {
    const driver = atWork()
    driver.submit({ suggested_actions: [suggestion(kind)] })
    expect(driver.run.current_action).toMatchObject({ kind, brief: `Go and ${kind}.` })
    expect(driver.run.pending_actions).toEqual([])
  })

  it('is the summary after a review, whatever it found, and then the end', () => {
    const driver = atKind('review')
    driver.submit({
      action_kind: 'review',
      status: 'error',
      review: { result: 'error', findings: [], uncertainties: [] },
    })
    expect(driver.run).toMatchObject({ review_pending: false, current_action: { kind: 'summarize' } })
    expect(driver.submit({ status: 'error' }).state).toBe('ended')
  })

  it('is no review if reviews are disabled', () => {
    const driver = atWork({ reviewEnabled: false })
    driver.setGit(changed())
    driver.submit()
    expect(driver.run).toMatchObject({ review_pending: false, current_action: { kind: 'summarize' } })
  })

  it('is a pause if the budget is spent; the suggestion is noted', () => {
    const driver = outOfBudget()
    expect(driver.run).toMatchObject({ state: 'paused', pause_reason: 'budget_exhausted', remaining_budget: 0 })
    const other = atWork({ budget: 1 })
    other.submit({ suggested_actions: [suggestion('clarify')] })
    expect(other.run).toMatchObject({ pause_reason: 'budget_exhausted', pending_actions: [] })
    expect(other.run.uncertainties).toEqual([expect.stringContaining('because the budget is spent')])
  })

  it('is a pause if git fails; the suggestion stays pending', () => {
    const driver = atWork()
    driver.setGit(GIT_UNAVAILABLE)
    driver.submit({ suggested_actions: [suggestion('clarify')] })
    expect(driver.run).toMatchObject({
      state: 'paused',
      pause_reason: 'environment_unavailable',
      pending_actions: [suggestion('clarify')],
      known_issues: [expect.stringMatching(/^git_observation_failed:/)],
    })
    expect(driver.run.current_action).toBeUndefined()
  })
})

describe('a review', () => {
  it.each([
    ['partial', 'inconclusive'],
    ['error', 'error'],
  ])(
    'that is %s with the result %s has seen nothing: the next orientation leads to a review again',
    (status, result) => {
      const driver = atKind('review')
      driver.submit({ status, review: { result, findings: [], uncertainties: [] } })
      expect(driver.run.current_action?.kind).toBe('summarize')
      driver.stop()
      driver.resume()
      driver.submit()
      expect(driver.run.current_action?.kind).toBe('review')
      driver.submit()
      driver.stop()
      driver.resume()
      driver.submit()
      expect(driver.run.current_action?.kind).toBe('summarize')
    },
  )

  it('is not issued twice for the same difference', () => {
    const driver = atKind('review')
    driver.submit()
    driver.stop()
    driver.resume()
    driver.submit()
    expect(driver.run).toMatchObject({ review_pending: false, current_action: { kind: 'summarize' } })
  })

  it('is issued again after further changes', () => {
    const driver = atKind('review')
    driver.submit()
    driver.stop()
    driver.resume()
    driver.setGit(changed('again'))
    driver.submit()
    expect(driver.run.current_action?.kind).toBe('review')
  })

  it('stays pending until it is done', () => {
    const driver = atKind('review')
    driver.stop()
    driver.resume()
    driver.submit()
    expect(driver.run.current_action?.kind).toBe('review')
  })

  it('is not due for undone changes', () => {
    const driver = atKind('review')
    driver.stop()
    driver.resume()
    driver.setGit(CLEAN)
    driver.submit()
    expect(driver.run).toMatchObject({ review_pending: false, current_action: { kind: 'summarize' } })
  })
})

describe('the end', () => {
  it('stores a final git observation', () => {
    const driver = atKind('summarize')
    driver.setGit(changed())
    const state = driver.submit()
    expect(state).toMatchObject({ state: 'ended', next: { operation: 'none' } })
    expect(state.action).toBeUndefined()
    expect(driver.run).toMatchObject({ final_git_observed: true, current_git: changed(), review_pending: false })
    expect(driver.run.summary).toContain('observed_since_start:')
  })

  it('needs no git observation', () => {
    const driver = atKind('summarize')
    driver.setGit(GIT_UNAVAILABLE)
    driver.submit()
    expect(driver.run).toMatchObject({ state: 'ended', final_git_observed: false, current_git: CLEAN })
    expect(driver.run.uncertainties).toEqual([expect.stringContaining('when the run ended')])
    expect(driver.run.summary).toContain('could not be observed')
  })
})

function answered(): Driver {
  const driver = waitingForDecision()
  driver.answer({ text: 'Knots.' })
  return driver
}

function skipped(): Driver {
  const driver = atWork()
  driver.skip()
  return driver
}

function withdrawnThenPaused(): Driver {
  const driver = stopped()
  driver.resume()
  driver.submit({ status: 'needs_input', pause: decision })
  return driver
}
