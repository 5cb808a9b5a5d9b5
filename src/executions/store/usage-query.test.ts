import { describe, expect, it } from 'vitest'
import { MAX_USAGE_ROWS, toUsageQuery, toUsageReport, type UsageRequest } from './usage-query.ts'

const NOW = new Date('2026-03-01T00:30:00Z')

describe('toUsageQuery', () => {
  it.each<[string, UsageRequest, object]>([
    ['the last 30 days with today, by all fields', {}, { since: '2026-01-31', until: '2026-03-01' }],
    ['30 days until a day', { until: '2026-01-30' }, { since: '2026-01-01', until: '2026-01-30' }],
    ['from a day until today', { since: '2025-01-01' }, { since: '2025-01-01', until: '2026-03-01' }],
    ['one day', { since: '2026-02-03', until: '2026-02-03' }, { since: '2026-02-03', until: '2026-02-03' }],
    ['each field once, in a fixed order', { groupBy: ['model', 'day', 'day'] }, { groupBy: ['day', 'model'] }],
  ])('means %s', (_name, request, query) => {
    expect(toUsageQuery(request, NOW)).toMatchObject({ groupBy: ['day', 'key', 'backend', 'model'], ...query })
  })

  it('refuses a period that ends before it begins', () => {
    const request = { since: '2026-02-03', until: '2026-02-02' }
    expect(() => toUsageQuery(request, NOW)).toThrow('until (2026-02-02) is before since (2026-02-03)')
  })
})

describe('toUsageReport', () => {
  const query = toUsageQuery({ groupBy: ['key'] }, NOW)
  const row = (api_key: string, more: object = {}) => ({
    api_key,
    completed: 2,
    failed: 1,
    cancelled: 1,
    lost: 1,
    input_tokens: 10,
    output_tokens: 20,
    cached_tokens: 30,
    reasoning_tokens: 40,
    cache_write_tokens: 50,
    cost_usd: null,
    priced_usd: null,
    ...{ plan_executions: 1, unknown_cost_executions: 2 },
    duration_ms: 60,
    ...more,
  })

  it('adds up the rows, with the costs that are known and without the noise of fractions', () => {
    const { rows, totals } = toUsageReport(query, [
      row('a', { cost_usd: 0.1 }),
      row('b', { cost_usd: 0.2, priced_usd: 0.2 }),
      row(''),
    ])
    expect(rows.map(({ key, executions, cost_usd }) => [key, executions, cost_usd])).toEqual([
      ['a', 5, 0.1],
      ['b', 5, 0.2],
      ['', 5, undefined],
    ])
    expect(totals).toEqual({
      ...{ executions: 15, completed: 6, failed: 3, cancelled: 3, lost: 3 },
      ...{ input_tokens: 30, output_tokens: 60, cached_tokens: 90, reasoning_tokens: 120, cache_write_tokens: 150 },
      ...{ cost_usd: 0.3, priced_usd: 0.2, plan_executions: 3, unknown_cost_executions: 6, duration_ms: 180 },
    })
  })

  it('has totals of 0 without rows', () => {
    const { rows, totals } = toUsageReport(query, [])
    expect([rows, totals.executions, 'cost_usd' in totals]).toEqual([[], 0, false])
  })

  it('has as many rows as allowed, and refuses one more', () => {
    const rows = Array.from({ length: MAX_USAGE_ROWS }, (_, at) => row(String(at)))
    expect(toUsageReport(query, rows).rows).toHaveLength(MAX_USAGE_ROWS)
    expect(() => toUsageReport(query, [...rows, row('one more')])).toThrow('more than 10000 rows')
  })
})
