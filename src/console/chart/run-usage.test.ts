import { expect, it } from 'vitest'
import { toDaySeries } from './day-series.ts'
import { toRunUsage } from './run-usage.ts'

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
