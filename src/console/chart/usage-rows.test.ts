import { describe, expect, it } from 'vitest'
import type { UsageReport, UsageRow } from '../../executions/store/usage-report.shape.ts'
import { countRowsAlike, describeMissingCost, joinRows, knownCost } from './usage-rows.ts'

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
