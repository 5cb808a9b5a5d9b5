import { describe, expect, it } from 'vitest'
import {
  atWork,
  gitUnavailable,
  waitingForChoice,
  waitingForConfirmation,
  waitingForDecision,
} from '../../../test/support/run-states.ts'
import { having, tampered } from '../../../test/support/tampered-event.ts'

const submitted = () => having(atWork(), (driver) => driver.submit())
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
