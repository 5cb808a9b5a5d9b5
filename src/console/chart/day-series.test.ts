import { describe, expect, it } from 'vitest'
import type { UsageReport } from '../../executions/store/usage-report.shape.ts'
import { toDaySeries, toTicks } from './day-series.ts'

const row = (day: string, backend: string, tokens: number, cost?: number) => ({
  ...{ day, backend, input_tokens: tokens, output_tokens: 1, ...(cost !== undefined && { cost_usd: cost }) },
})

const report = (rows: object[]) => ({ since: '2026-02-27', until: '2026-03-01', rows }) as unknown as UsageReport

describe('the series of a chart', () => {
  it('have every day, and the largest first', () => {
    const rows = [row('2026-02-27', 'codex', 9), row('2026-03-01', 'claude', 99), row('2026-03-01', 'codex', 4)]
    expect(toDaySeries(report(rows), 'backend', 'tokens')).toEqual({
      days: ['2026-02-27', '2026-02-28', '2026-03-01'],
      series: [
        { name: 'claude', values: [0, 0, 100], total: 100 },
        { name: 'codex', values: [10, 0, 5], total: 15 },
      ],
      highest: 105,
    })
  })

  it('leave out what cost nothing, and days of other periods', () => {
    const rows = [row('2026-02-28', 'codex', 9), row('2026-02-28', 'claude', 9, 0.5), row('2026-01-01', 'claude', 9, 7)]
    const { series, highest } = toDaySeries(report(rows), 'backend', 'cost')
    expect([series.map(({ name, total }) => [name, total]), highest]).toEqual([[['claude', 0.5]], 0.5])
  })

  it('join what is left of more than six', () => {
    const rows = ['a', 'b', 'c', 'd', 'e', 'f', 'g'].map((name, at) => row('2026-02-28', name, 99 - at))
    const { series } = toDaySeries(report(rows), 'backend', 'tokens')
    expect(series.map(({ name }) => name)).toEqual(['a', 'b', 'c', 'd', 'e', 'others'])
    expect(series.at(-1)?.values).toEqual([0, 95 + 94, 0])
    const six = toDaySeries(report(rows.slice(0, 6)), 'backend', 'tokens').series
    expect(six.map(({ name }) => name)).toEqual(['a', 'b', 'c', 'd', 'e', 'f'])
  })
})

it.each([
  [0, [0, 1]],
  [1, [0, 0.5, 1]],
  [0.42, [0, 0.2, 0.4, 0.6]],
  [100, [0, 50, 100]],
  [101, [0, 50, 100, 150]],
  [87_000, [0, 50_000, 100_000]],
])('the axis for %d has the marks %j', (highest, ticks) => expect(toTicks(highest)).toEqual(ticks))
