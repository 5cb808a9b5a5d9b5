import { describe, expect, it } from 'vitest'
import type { DrivenRun } from '../../drive/service/driven-run.shape.ts'
import { beforeAfterStep, choicesOf, columnOf, matches } from './board-columns.ts'

const ALL = { repository: '', agent: '', label: '', person: '' }
const RUN = { repository: '/srv/weather', backend: 'codex', label: 'bug', api_key: 'ada' }

describe('the column of a run', () => {
  it.each<[DrivenRun['state'], string, string | undefined]>([
    ['queued', 'queued', 'queued'],
    ['running', 'running', 'working'],
    ['waiting_for_limit', 'waiting', 'working'],
    ['waiting', 'waiting for you', 'needs you'],
    ['paused', 'paused', 'needs you'],
    ['interrupted', 'not driven', 'needs you'],
    ['failed', 'failed', 'needs you'],
    ['ended', 'delivered', 'delivered'],
    ['ended', 'delivered, look first', 'delivered'],
    ['ended', 'nothing to change', 'delivered'],
    ['ended', 'not delivered', undefined],
    ['merged', 'merged', 'merged'],
    ['stopped', 'stopped', undefined],
    ['continued', 'delivered', undefined],
    ['discarded', 'discarded', undefined],
  ])('that is %s and %s is %s', (state, word, expected) =>
    expect(columnOf({ state, verdict: { word } as DrivenRun['verdict'] })).toBe(expected),
  )
})

describe('the filter of the board', () => {
  it('lets everything through that it does not name', () => expect(matches(RUN, ALL)).toBe(true))

  it.each([
    ['repository', '/srv/weather', '/srv/tides'],
    ['agent', 'codex', 'claude'],
    ['label', 'bug', 'night'],
    ['person', 'ada', 'bob'],
  ])('compares the %s', (name, same, other) => {
    expect(matches(RUN, { ...ALL, [name]: same })).toBe(true)
    expect(matches(RUN, { ...ALL, [name]: other })).toBe(false)
    expect(matches({ repository: '/', backend: 'x' }, { ...ALL, [name]: same })).toBe(false)
  })

  it('offers each value once', () =>
    expect(choicesOf([RUN, { ...RUN, label: 'a' }, { repository: '/', backend: 'x' }], 'label')).toEqual(['a', 'bug']))
})

describe('a step in the queue', () => {
  const queued = ['a', 'b', 'c'].map((id) => ({ id }))
  it.each<[string, -1 | 1, string | undefined | null]>([
    ['b', -1, 'a'],
    ['b', 1, undefined],
    ['a', 1, 'c'],
    ['a', -1, null],
    ['c', 1, null],
    ['x', 1, null],
  ])('of %s by %i is before %s', (id, step, expected) => expect(beforeAfterStep(queued, id, step)).toBe(expected))
})
