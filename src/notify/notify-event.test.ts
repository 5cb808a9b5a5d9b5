import { describe, expect, it } from 'vitest'
import { isWanted, type NotifyEvent, waitAfter } from './notify-event.ts'

const EVENT: NotifyEvent = {
  ...{ id: 'msg_1', kind: 'question', at: '2026-01-01T00:00:00Z', stream: 'run', title: 't', text: 'x', data: {} },
  ...{ repository: '/weather', label: 'drover' },
}
const TARGET = { name: 'phone', type: 'ntfy' } as const

describe('isWanted', () => {
  it.each<[string, object, boolean]>([
    ['no filter', {}, true],
    ['empty filters', { events: [], repositories: [], labels: [] }, true],
    ['its kind', { events: ['failed', 'question'] }, true],
    ['another kind', { events: ['failed'] }, false],
    ['its repository', { repositories: ['/weather'] }, true],
    ['another repository', { repositories: ['/other'] }, false],
    ['its label', { labels: ['drover'] }, true],
    ['another label', { labels: ['night'] }, false],
    ['one filter of two', { events: ['question'], labels: ['night'] }, false],
  ])('with %s', (_name, filters, expected) => {
    expect(isWanted({ ...TARGET, ...filters }, EVENT)).toBe(expected)
  })

  it('is true for an agent in a directory of the repository, and not in one of a similar name', () => {
    const wants = (repository: string) => isWanted({ ...TARGET, repositories: ['/weather'] }, { ...EVENT, repository })
    expect([wants('/weather/src'), wants('/weather-2')]).toEqual([true, false])
  })

  it('is false for a run without a label, if labels are listed', () => {
    expect(isWanted({ ...TARGET, labels: ['drover'] }, { ...EVENT, label: undefined })).toBe(false)
  })
})

it.each([
  [1, 0, 0, 5_000],
  [2, 0, 0, 30_000],
  [2, 0, 1, 36_000],
  [5, 0, 0, 1_800_000],
  [6, 0, 0, 3_600_000],
  [99, 86_400_000, 0, 3_600_000],
  [1, 86_400_001, 0, undefined],
])('after %i attempts and %i ms, with chance %d, it waits %s ms', (attempts, ageMs, random, waitMs) => {
  expect(waitAfter(attempts, ageMs, random)).toBe(waitMs)
})
