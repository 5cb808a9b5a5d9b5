import { describe, expect, it } from 'vitest'
import type { UsageReport, UsageRow } from '../../executions/store/usage-report.shape.ts'
import { toDaySeries } from './day-series.ts'
import { countRowsAlike, describeMissingCost, joinRows, knownCost, toRunUsage } from './usage-rows.ts'

const NONE = { completed: 1, failed: 0, cancelled: 0, lost: 0, cache_write_tokens: 0, reasoning_tokens: 0 }
const amounts = (more: object) =>
  ({ ...NONE, executions: 1, plan_executions: 0, unknown_cost_executions: 0, duration_ms: 5, ...more }) as UsageRow

const ROWS = [
  amounts({ backend: 'claude', model: 'm', input_tokens: 800, output_tokens: 100, cached_tokens: 1200, cost_usd: 0.5 }),
  amounts({ backend: 'codex', model: 'm', input_tokens: 2000, output_tokens: 100, cached_tokens: 1200 }),
  amounts({ backend: 'codex', model: 'n', input_tokens: 7, output_tokens: 1, cached_tokens: 0 }),
]

describe('the rows of the usage page', () => {
  const { rows, totals } = countRowsAlike({ rows: ROWS, totals: amounts({}) } as unknown as UsageReport)

  it('count the tokens of claude and codex alike, and so do the totals', () => {
    expect(rows.map((row) => [row.input_tokens, row.output_tokens])).toEqual([
      [2000, 100],
      [2000, 100],
      [7, 1],
    ])
    expect(totals).toMatchObject({ input_tokens: 4007, output_tokens: 201 })
  })

  it('are joined by model, in its order', () => {
    const joined = joinRows(rows.toReversed(), 'model')
    expect(joined.map(({ model }) => model)).toEqual(['m', 'n'])
    expect(joined[0]).toMatchObject({ executions: 2, input_tokens: 4000, output_tokens: 200, cost_usd: 0.5 })
    expect(joined[1]).not.toHaveProperty('cost_usd')
  })
})

it.each([
  [{ cost_usd: 1, unknown_cost_executions: 10 }, '$1.00', 'Cost misses 10 executions whose cost is not known.'],
  [{ cost_usd: 1, unknown_cost_executions: 1 }, '$1.00', 'Cost misses 1 execution whose cost is not known.'],
  [{ cost_usd: 1, priced_usd: 1 }, '~$1.00', ''],
  [{ cost_usd: 0, unknown_cost_executions: 2 }, undefined, ''],
  [{ cost_usd: 0 }, '$0.00', ''],
  [{ unknown_cost_executions: 2 }, undefined, ''],
])('of %j, the cost is %j, and what it misses is %j', (more, cost, missing) => {
  expect([knownCost(amounts(more)), describeMissingCost(amounts(more))]).toEqual([cost, missing])
})

const run = (repository: string, day: string, tokens: number, more: object = {}) => ({
  ...{ repository, created_at: `${day}T10:00:00Z`, spent: { tokens, cost_usd: tokens / 100, time_secs: 3 } },
  ...more,
})

const RUNS = [
  run('/code/rain', '2026-03-01', 5),
  run('/code/wind', '2026-03-01', 7),
  run('/code/wind', '2026-02-28', 20, { next_run_id: 'x' }),
  run('/code/wind', '2026-02-28', 30),
  run('/code/wind', '2026-02-26', 99),
]

it('the usage of runs is counted once, by repository and day, since the first day', () => {
  const { report, repositories } = toRunUsage(RUNS, '2026-02-27', '2026-03-01')
  expect(toDaySeries(report, 'repository', 'tokens').series).toEqual([
    { name: 'wind', values: [0, 30, 7], total: 37 },
    { name: 'rain', values: [0, 0, 5], total: 5 },
  ])
  expect(repositories).toEqual([
    { repository: '/code/wind', runs: 2, tokens: 37, cost: 0.37, isPriced: false, ms: 6000 },
    { repository: '/code/rain', runs: 1, tokens: 5, cost: 0.05, isPriced: false, ms: 3000 },
  ])
})
