import { describe, expect, it } from 'vitest'
import { changed, codeOf, type Driver, GIT_UNAVAILABLE } from '../../../test/support/drive-run.ts'
import {
  atKind,
  atWork,
  ended,
  gitUnavailable,
  outOfBudget,
  stopped,
  waitingForChoice,
  waitingForConfirmation,
  waitingForDecision,
} from '../../../test/support/run-states.ts'
import { BRIEFS } from '../texts/compose-brief.ts'

describe('skip', () => {
  it.each<[string, () => Driver, string, string]>([
    ['a stopped run', stopped, 'action-1', 'run_not_skippable'],
    ['a run that has ended', ended, 'action-1', 'run_not_skippable'],
    ['an action that is not current', atWork, 'other', 'stale_action'],
    ['a paused run without an action', outOfBudget, 'action-1', 'stale_action'],
    ['a run whose worktree could not be observed', gitUnavailable, 'action-1', 'stale_action'],
    ['a run that waits for a choice of source', waitingForChoice, 'action-1', 'stale_action'],
    ['the current action', atWork, 'action-1', 'done'],
    ['an action that waits for a decision', waitingForDecision, 'action-1', 'done'],
    ['an action that waits for a confirmation', waitingForConfirmation, 'action-2', 'done'],
  ])('returns the right code for %s', (_what, make, id, code) => {
    const driver = make()
    expect(codeOf(() => driver.skip(id))).toBe(code)
  })

  it('of a review leads to a summary that says so', () => {
    const driver = atKind('review')
    driver.skip()
    expect(driver.run.actions[1]).toMatchObject({
      skipped: true,
      review_projection: { result: 'not_run', findings: [], uncertainties: [] },
    })
    expect(driver.run).toMatchObject({ review_pending: false, current_action: { kind: 'summarize' } })
    expect(driver.run.current_action?.brief.startsWith(BRIEFS.summarizeAfterSkippedReview)).toBe(true)
  })

  it('of a review leaves the changes unreviewed: the next orientation leads to a review again', () => {
    const driver = atKind('review')
    driver.skip()
    driver.stop()
    driver.resume()
    driver.submit()
    expect(driver.run.current_action?.kind).toBe('review')
    driver.submit()
    driver.stop()
    driver.resume()
    driver.submit()
    expect(driver.run.current_action?.kind).toBe('summarize')
  })

  it.each([
    ['orient', false, true, 'summarize', BRIEFS.summarizeAfterSkip],
    ['clarify', false, true, 'summarize', BRIEFS.summarizeAfterSkip],
    ['implement', false, true, 'summarize', BRIEFS.summarizeAfterSkip],
    ['orient', true, true, 'review', BRIEFS.reviewAfterSkip],
    ['clarify', true, true, 'review', BRIEFS.reviewAfterSkip],
    ['implement', true, true, 'review', BRIEFS.reviewAfterSkip],
    ['implement', true, false, 'summarize', BRIEFS.summarizeAfterSkip],
  ] as const)('of %s, changed: %s, with reviews: %s, leads to %s', (kind, isChanged, reviewEnabled, next, brief) => {
    const driver = atKind(kind, { reviewEnabled })
    if (isChanged) driver.setGit(changed())
    driver.skip()
    expect(driver.run.current_action?.kind).toBe(next)
    expect(driver.run.current_action?.brief.startsWith(brief)).toBe(true)
    expect(driver.run.actions.at(-2)).toMatchObject({ skipped: true })
    expect(driver.run.actions.at(-2)?.voided).toBeUndefined()
  })

  it('keeps the question of a paused action', () => {
    const driver = waitingForDecision()
    driver.skip()
    expect(driver.run.actions[0]).toMatchObject({ skipped: true, outcome: { status: 'needs_input' } })
  })

  it('pauses the run if git fails', () => {
    const driver = atWork()
    driver.setGit(GIT_UNAVAILABLE)
    driver.skip()
    expect(driver.run).toMatchObject({
      pause_reason: 'environment_unavailable',
      known_issues: [expect.stringContaining('after orient was skipped')],
    })
    expect(driver.run.current_action).toBeUndefined()
  })

  it('pauses the run if the budget is spent', () => {
    const driver = atWork({ budget: 1 })
    driver.skip()
    expect(driver.run).toMatchObject({ pause_reason: 'budget_exhausted' })
  })

  it.each([
    [changed(), '- observed_since_start: the worktree differs from its state at the start of the run'],
    [GIT_UNAVAILABLE, '- could not be observed when the run ended'],
  ])('of the summary ends the run', (gitFacts, line) => {
    const driver = atKind('summarize')
    driver.setGit(gitFacts)
    driver.skip()
    expect(driver.run.state).toBe('ended')
    const lines = driver.run.summary?.split('\n') ?? []
    expect(lines[0]).toBe('The summary was skipped, and the run has ended.')
    expect(lines[1]).toBe(line)
    expect(lines.at(-2)).toBe('No host reported a summary.')
  })
})
