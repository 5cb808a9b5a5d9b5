import { describe, expect, it } from 'vitest'
import { changed } from '../../test/support/drive-run.ts'
import {
  atWork,
  ended,
  gitUnavailable,
  stopped,
  waitingForChoice,
  waitingForConfirmation,
  waitingForDecision,
} from '../../test/support/run-states.ts'
import { bare, having, problemOf, tampered } from '../../test/support/tampered-event.ts'

const submitted = () => having(atWork(), (driver) => driver.submit())
const adopted = () =>
  having(waitingForChoice(), (driver) => driver.resume({ choice: 'adopt', candidateId: 'candidate-1' }))

describe('the states of a run', () => {
  it.each<[string, () => string | undefined]>([
    [
      'nothing happens to a run that has ended',
      () => problemOf(ended().run, bare('run_stopped', { state: 'stopped' })),
    ],
    ['a run is started by the first event and no other', () => tampered(atWork(), {}, 'run_stopped')],
    [
      'a run is stopped by being stopped',
      () => tampered(stopped(), { state: 'paused', pause_reason: 'environment_unavailable' }),
    ],
    ['a run is stopped by being stopped', () => tampered(submitted(), { state: 'stopped' })],
    [
      'a run has a reason to pause exactly while it is paused',
      () => tampered(submitted(), { pause_reason: 'budget_exhausted' }),
    ],
    [
      'a run has a reason to pause exactly while it is paused',
      () => tampered(waitingForDecision(), { pause_reason: undefined }),
    ],
    [
      'what a run waits for is what its pause says',
      () => tampered(waitingForDecision(), { pause_reason: 'budget_exhausted' }),
    ],
    [
      'what a run waits for is what its pause says',
      () => tampered(waitingForDecision(), { pause_reason: 'destructive_confirmation_required' }),
    ],
    [
      'what a run waits for is what its pause says',
      () => tampered(waitingForConfirmation(), { pause_reason: 'decision_required' }),
    ],
    [
      'what a run waits for is what its pause says',
      () => tampered(gitUnavailable(), { pause_reason: 'budget_exhausted' }),
    ],
    [
      'what a run waits for is what its pause says',
      () => tampered(gitUnavailable(), { pause_reason: 'decision_required' }),
    ],
    [
      'what a run waits for is what its pause says',
      () => tampered(submitted(), { state: 'paused', pause_reason: 'environment_unavailable' }),
    ],
    ['an active run has an action, which has no outcome yet', () => tampered(submitted(), { current_action: null })],
    [
      'an active run has an action, which has no outcome yet',
      () => tampered(waitingForDecision(), { state: undefined, pause_reason: undefined }),
    ],
    ['a run that is stopped or has ended has no action', () => tampered(stopped(), { current_action: undefined })],
    ['a run has a summary exactly when it has ended', () => tampered(submitted(), { summary: 'x' })],
    ['a run has a summary exactly when it has ended', () => tampered(ended(), { summary: undefined })],
    ['the last look at the worktree is the one at the end', () => tampered(submitted(), { final_git_observed: true })],
    [
      'a suggestion waits only while the run does not go on for want of a look at the worktree, or is stopped',
      () => tampered(submitted(), { pending_actions: [{ kind: 'clarify', brief: 'x' }] }),
    ],
    [
      'nothing goes on while a candidate waits for a choice',
      () => tampered(adopted(), { source_candidate: undefined, source_choice: undefined }),
    ],
    [
      'no review is due where reviews are turned off',
      () =>
        tampered(
          having(atWork({ reviewEnabled: false }), (driver) => driver.submit()),
          { review_pending: true },
        ),
    ],
    ['the worktree is looked at after work, done or skipped', () => tampered(stopped(), { current_git: changed() })],
  ])('%s', (rule, find) => {
    expect(find()).toBe(rule)
  })
})
