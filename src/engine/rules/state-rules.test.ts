import { describe, expect, it } from 'vitest'
import { changed } from '../../../test/support/drive-run.ts'
import {
  atWork,
  ended,
  gitUnavailable,
  stopped,
  waitingForChoice,
  waitingForConfirmation,
  waitingForDecision,
} from '../../../test/support/run-states.ts'
import { bare, having, problemOf, tampered } from '../../../test/support/tampered-event.ts'

const submitted = () => having(atWork(), (driver) => driver.submit())

describe('the states of a run', () => {
  it.each<[string, () => string | undefined]>([
    ['no event follows the end of a run', () => problemOf(ended().run, bare('run_stopped', { state: 'stopped' }))],
    ['only the first event starts a run', () => tampered(atWork(), {}, 'run_stopped')],
    [
      'only a stop event stops a run',
      () => tampered(stopped(), { state: 'paused', pause_reason: 'environment_unavailable' }),
    ],
    ['only a stop event stops a run', () => tampered(submitted(), { state: 'stopped' })],
    ['an active run has a current action without an outcome', () => tampered(submitted(), { current_action: null })],
    [
      'an active run has a current action without an outcome',
      () => tampered(waitingForDecision(), { state: undefined, pause_reason: undefined }),
    ],
    ['a stopped or ended run has no current action', () => tampered(stopped(), { current_action: undefined })],
    ['a run has a summary exactly when it has ended', () => tampered(submitted(), { summary: 'x' })],
    ['a run has a summary exactly when it has ended', () => tampered(ended(), { summary: undefined })],
    ['the final git observation is made when the run ends', () => tampered(submitted(), { final_git_observed: true })],
    [
      'a suggestion is pending only while the run is stopped or its environment is unavailable',
      () => tampered(submitted(), { pending_actions: [{ kind: 'clarify', brief: 'x' }] }),
    ],
    [
      'no review is pending when reviews are disabled',
      () =>
        tampered(
          having(atWork({ reviewEnabled: false }), (driver) => driver.submit()),
          { review_pending: true },
        ),
    ],
    ['the worktree is observed only after an outcome or a skip', () => tampered(stopped(), { current_git: changed() })],
  ])('%s', (rule, find) => {
    expect(find()).toBe(rule)
  })
})

const adopted = () =>
  having(waitingForChoice(), (driver) => driver.resume({ choice: 'adopt', candidateId: 'candidate-1' }))

describe('the pauses of a run', () => {
  it.each<[string, () => string | undefined]>([
    [
      'a run has a pause reason exactly while it is paused',
      () => tampered(submitted(), { pause_reason: 'budget_exhausted' }),
    ],
    [
      'a run has a pause reason exactly while it is paused',
      () => tampered(waitingForDecision(), { pause_reason: undefined }),
    ],
    [
      'the pause reason matches what the run is waiting for',
      () => tampered(waitingForDecision(), { pause_reason: 'budget_exhausted' }),
    ],
    [
      'the pause reason matches what the run is waiting for',
      () => tampered(waitingForDecision(), { pause_reason: 'destructive_confirmation_required' }),
    ],
    [
      'the pause reason matches what the run is waiting for',
      () => tampered(waitingForConfirmation(), { pause_reason: 'decision_required' }),
    ],
    [
      'the pause reason matches what the run is waiting for',
      () => tampered(gitUnavailable(), { pause_reason: 'budget_exhausted' }),
    ],
    [
      'the pause reason matches what the run is waiting for',
      () => tampered(gitUnavailable(), { pause_reason: 'decision_required' }),
    ],
    [
      'the pause reason matches what the run is waiting for',
      () => tampered(submitted(), { state: 'paused', pause_reason: 'environment_unavailable' }),
    ],
    [
      'a run with a source candidate is stopped or waiting for a decision',
      () => tampered(adopted(), { source_candidate: undefined, source_choice: undefined }),
    ],
  ])('%s', (rule, find) => {
    expect(find()).toBe(rule)
  })
})
