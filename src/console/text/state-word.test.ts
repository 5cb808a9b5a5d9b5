import { expect, it } from 'vitest'
import { DRIVEN_STATES, type DrivenRun } from '../../drive/service/driven-run.shape.ts'
import { executionStateWord, runStateWord, toStateWord } from './state-word.ts'

const verdict = (word: DrivenRun['verdict']['word']) => ({ word }) as DrivenRun['verdict']

it('every state of a prompt, an attempt and a session has one of the words', () => {
  const states = [
    'queued',
    'running',
    'completed',
    'failed',
    'cancelled',
    'lost',
    'answered',
    'stalled',
    'active',
    'error',
  ]
  expect(states.map(toStateWord)).toEqual([
    ...['queued', 'working', 'done', 'failed', 'stopped'],
    ...['lost', 'done', 'failed', 'working', 'failed'],
  ])
  expect(toStateWord('toString')).toBe('failed')
})

it('a prompt with an error in place of a result was refused', () => {
  const backend = 'claude'
  const error = { code: 'budget_spent', message: 'spent', kind: 'rate_limited' }
  const usage = { input_tokens: 1, output_tokens: 1, cached_tokens: 0, reasoning_tokens: 0 }
  expect(executionStateWord({ state: 'failed', backend, error })).toBe('refused')
  expect(executionStateWord({ state: 'failed', backend, usage })).toBe('failed')
  expect(executionStateWord({ state: 'failed', backend, usage, error })).toBe('failed')
  // A bug has no kind, and a batch runs no agent itself.
  expect(executionStateWord({ state: 'failed', backend, error: { code: 'internal_error', message: 'x' } })).toBe(
    'failed',
  )
  expect(executionStateWord({ state: 'failed', error })).toBe('failed')
  expect(executionStateWord({ state: 'cancelled', backend })).toBe('stopped')
})

it('every state of a run has one, and a run without its result has failed', () => {
  const words = DRIVEN_STATES.map((state) => runStateWord({ state, verdict: verdict('delivered') }))
  expect(words).toEqual([
    ...['queued', 'working', 'working', 'needs you', 'needs you'],
    ...['stopped', 'needs you', 'failed', 'continued', 'delivered', 'merged', 'discarded'],
  ])
  const ended = (['delivered, look first', 'nothing to change'] as const).map((word) =>
    runStateWord({ state: 'ended', verdict: verdict(word) }),
  )
  expect(ended).toEqual(['delivered, look first', 'done'])
  expect(runStateWord({ state: 'ended', verdict: verdict('not delivered') })).toBe('not delivered')
  expect(runStateWord({ state: 'stopped', verdict: verdict('not delivered') })).toBe('stopped')
})
