import { describe, expect, it } from 'vitest'
import type { DrivenRun } from './driven-run.shape.ts'
import { isWanted } from './run-reader.ts'

describe('isWanted', () => {
  const found = { id: 'run-1', goal: 'Show the Wind', state: 'ended', backend: 'claude' }
  const run = { ...found, repository: '/work', api_key: 'ci', label: 'night' } as DrivenRun
  it.each([
    [{}, true],
    [{ states: ['ended', 'merged'] }, true],
    [{ states: ['merged'] }, false],
    [{ repository: '/work' }, true],
    [{ repository: '/wor' }, false],
    [{ backend: 'claude' }, true],
    [{ backend: 'none' }, false],
    [{ label: 'night' }, true],
    [{ label: 'day' }, false],
    [{ key: 'ci' }, true],
    [{ key: 'c' }, false],
    [{ search: 'the wIND' }, true],
    [{ search: 'RUN-' }, true],
    [{ search: 'un-1' }, false],
    [{ search: 'wind', label: 'day' }, false],
  ])('a run for %o: %s', (filter, isExpected) => {
    expect(isWanted(run, filter)).toBe(isExpected)
  })
})
