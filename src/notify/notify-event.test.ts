import { describe, expect, it } from 'vitest'
import { isWanted, type NotifyEvent, toBudgetEvent, toSafeData, toSafeText, waitAfter } from './notify-event.ts'

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

const BUDGET = { name: 'the key ci', unit: 'usd', period: 'day', limit: 20, resets_at: '2026-11-19T00:00:00Z' }
const AT = { at: '2026-11-18T12:00:00Z', consoleUrl: 'https://drover.example.com' }

const eventOf = (used: number, more: Partial<typeof BUDGET> = {}) => toBudgetEvent({ ...BUDGET, ...more, used }, AT)

describe('a budget', () => {
  it.each([
    [15.99, undefined],
    [16, 'Budget at 80 %: the key ci, 20 usd/day'],
    [19.99, 'Budget at 80 %: the key ci, 20 usd/day'],
    [20, 'Budget spent: the key ci, 20 usd/day'],
    [23, 'Budget spent: the key ci, 20 usd/day'],
  ])('of 20 of which %d are used has the title %s', (used, title) => {
    expect(eventOf(used)?.title).toBe(title)
  })

  it('is announced once in a period for each level, and again for another limit', () => {
    const ids = [eventOf(16), eventOf(17), eventOf(20), eventOf(25)].map((event) => event?.id)
    expect([ids[0] === ids[1], ids[1] === ids[2], ids[2] === ids[3]]).toEqual([true, false, true])
    expect(eventOf(16, { resets_at: '2026-11-20T00:00:00Z' })?.id).not.toBe(ids[0])
    expect(eventOf(16, { limit: 19 })?.id).not.toBe(ids[0])
  })

  it('says what is used, when it resets, and where to look', () => {
    expect(eventOf(20.123)).toMatchObject({
      text: '20.12 of 20 usd are used. Prompts that it applies to are refused. It resets at 2026-11-19 00:00:00 UTC.',
      url: 'https://drover.example.com/#/usage',
      endsAt: '2026-11-19T00:00:00Z',
      data: { level: 'spent', budget: { name: 'the key ci', used: 20.123 } },
    })
    const { resets_at: _, ...once } = BUDGET
    expect(toBudgetEvent({ ...once, period: 'once', used: 16 }, AT)?.text).toBe(
      '16 of 20 usd are used. It does not reset.',
    )
  })
})

const MARK = '… [cut: the rest is in the console]'

it('leaves a text as it is up to its limit, and cuts a longer one with a mark', () => {
  expect(toSafeText('x'.repeat(2000))).toBe('x'.repeat(2000))
  expect(toSafeText('x'.repeat(2001))).toBe('x'.repeat(2000 - MARK.length) + MARK)
  expect(toSafeText('x'.repeat(100), 100)).toBe('x'.repeat(100))
  expect(toSafeText('x'.repeat(101), 100)).toBe(`${'x'.repeat(99)}…`)
})

it('cuts 10 MB, and no character in half', () => {
  const text = toSafeText('💨'.repeat(5_000_000))
  expect(text).toHaveLength(2000)
  expect(text.endsWith(MARK)).toBe(true)
  expect(text.isWellFormed()).toBe(true)
})

it('removes a secret at the place where it cuts', () => {
  const secret = `sk-${'a1'.repeat(30)}`
  for (const before of [1900, 1930, 1960, 1999]) {
    expect(toSafeText(`${'x'.repeat(before)} ${secret} and more ${'y'.repeat(3000)}`)).not.toContain('a1a1')
  }
})

it('does so for every text in data, at any depth', () => {
  const data = {
    goal: 'x'.repeat(9999),
    verdict: { look_first: ['token ghp_0123456789abcdef0123456789abcdef0123'] },
    n: 1,
  }
  const safe = toSafeData(data)
  expect(safe['goal']).toHaveLength(2000)
  expect(JSON.stringify(safe)).not.toContain('0123456789')
  expect(safe).toMatchObject({ n: 1 })
})
