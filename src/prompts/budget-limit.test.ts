import { describe, expect, it } from 'vitest'
import { type BudgetEntry, type BudgetPeriod, budgetsFor, inUnits, parseLimit, periodAt } from './budget-limit.ts'
import { isInDirectory } from './workdir-policy.ts'

describe('parseLimit', () => {
  it.each([
    ['20usd/day', { unit: 'usd', period: 'day', limit: 20_000_000 }],
    ['0.000001usd/once', { unit: 'usd', period: 'once', limit: 1 }],
    ['5Mtokens/week', { unit: 'tokens', period: 'week', limit: 5_000_000 }],
    ['1.5ktokens/week', { unit: 'tokens', period: 'week', limit: 1500 }],
    ['100requests/month', { unit: 'requests', period: 'month', limit: 100 }],
    ['90minutes/day', { unit: 'minutes', period: 'day', limit: 5_400_000 }],
    ['999999999Musd/day', { unit: 'usd', period: 'day', limit: Number.MAX_SAFE_INTEGER }],
  ] as const)('reads %s', (text, expected) => {
    expect(parseLimit(text)).toEqual(expected)
    expect(inUnits(parseLimit(text).limit, expected.unit)).toBeGreaterThan(0)
  })
})

describe('periodAt', () => {
  it.each<[BudgetPeriod, string, string, string | undefined]>([
    ['day', '2026-01-31T23:59:59.999Z', '2026-01-31T00:00:00Z', '2026-02-01T00:00:00Z'],
    // The day on which clocks change in Europe has 24 hours in UTC.
    ['day', '2026-03-29T01:30:00Z', '2026-03-29T00:00:00Z', '2026-03-30T00:00:00Z'],
    ['week', '2026-02-01T12:00:00Z', '2026-01-26T00:00:00Z', '2026-02-02T00:00:00Z'],
    ['week', '2026-02-02T00:00:00Z', '2026-02-02T00:00:00Z', '2026-02-09T00:00:00Z'],
    ['month', '2028-02-29T23:00:00Z', '2028-02-01T00:00:00Z', '2028-03-01T00:00:00Z'],
    ['month', '2026-12-31T23:59:59Z', '2026-12-01T00:00:00Z', '2027-01-01T00:00:00Z'],
    ['once', '2026-12-31T23:59:59Z', 'once', undefined],
  ])('of a %s at %s', (period, now, start, resetsAt) => {
    expect(periodAt(period, new Date(now))).toEqual({ start, resetsAt })
  })
})

describe('budgetsFor', () => {
  const CI = { id: 'key_1', name: 'ci' }
  const entries: BudgetEntry[] = [
    { limit: '100usd/month' },
    { limit: '10usd/day', key: 'ci' },
    { limit: '5usd/day', key: '*' },
    { limit: '3requests/day', repository: '/srv/app/' },
    { limit: '4requests/day', label: 'Small Fix' },
  ]
  const ids = ({ directory = '/tmp', ...more }: Partial<Parameters<typeof budgetsFor>[1]> & { directory?: string }) =>
    budgetsFor(entries, {
      ...{ key: undefined, ofKey: [], label: undefined, ...more },
      isIn: (outer) => isInDirectory(directory, outer),
    }).map(({ id, limit }) => `${id} ${limit}`)

  it('are those of everything, of the key, of the repository and of the label, each once with its smallest limit', () => {
    expect(ids({})).toEqual(['all usd/month 100000000'])
    expect(ids({ key: CI })).toEqual(['all usd/month 100000000', 'key:key_1 usd/day 5000000'])
    expect(ids({ key: CI, ofKey: ['1usd/day', '7requests/once'] })).toEqual([
      'all usd/month 100000000',
      'key:key_1 requests/once 7',
      'key:key_1 usd/day 1000000',
    ])
    const repository = 'repository:/srv/app requests/day 3'
    expect(ids({ directory: '/srv/app/src' })).toContain(repository)
    expect(ids({ directory: '/srv/app' })).toContain(repository)
    expect(ids({ directory: '/srv/app2' })).not.toContain(repository)
    expect(ids({ label: 'small fix' })).toContain('label:small fix requests/day 4')
    expect(ids({ label: 'small' })).toEqual(ids({}))
  })
})
