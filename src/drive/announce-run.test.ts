import { expect, it } from 'vitest'
import type { RunVerdict } from '../contract/run-verdict.shape.ts'
import { toNotifyKind } from './announce-run.ts'

it.each<[RunVerdict['word'], string | undefined]>([
  ['waits for you', 'question'],
  ['delivered', 'delivered'],
  ['delivered, look first', 'delivered'],
  ['nothing to change', 'delivered'],
  ['not delivered', 'failed'],
  ['waiting for limit', 'limit'],
  ['paused by limit', 'budget'],
  ['running', undefined],
  ['queued', undefined],
  ['continued', undefined],
  ['not driven', undefined],
])('a run that is "%s" is announced as %s', (word, kind) => {
  expect(toNotifyKind({ word }, {})).toBe(kind)
})

it('announces no run that a person has stopped', () => {
  expect(toNotifyKind({ word: 'waits for you' }, { isStopped: true })).toBeUndefined()
})

it('tells a limit of an agent from one of the user', () => {
  const paused = { reason: 'agent_limited', message: 'x' } as const
  expect(toNotifyKind({ word: 'paused by limit' }, { paused })).toBe('limit')
})
