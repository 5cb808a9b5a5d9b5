import { expect, it } from 'vitest'
import { formatUsageCsv } from './usage-csv.ts'
import type { UsageReport, UsageRow } from './usage-report.shape.ts'

const amounts = (executions: number, more: Partial<UsageRow> = {}) => ({
  ...{ executions, completed: executions, failed: 0, cancelled: 0, lost: 0 },
  ...{ input_tokens: 1200, output_tokens: 34, cached_tokens: 0, reasoning_tokens: 0, cache_write_tokens: 0 },
  ...{ duration_ms: 65_000, plan_executions: 0, unknown_cost_executions: 0 },
  ...more,
})

const report = (rows: UsageRow[]): UsageReport => ({
  since: '2026-01-01',
  until: '2026-01-31',
  group_by: ['key', 'model'],
  rows,
  totals: amounts(3),
})

it('CSV has exact amounts, quotes what RFC 4180 quotes, and no cell is a formula', () => {
  const rows = [
    { key: '=HYPERLINK("x", 1)', model: 'a "b", c', ...amounts(1, { cost_usd: 0.00852, priced_usd: 0.00852 }) },
    { key: '', model: '@sum', ...amounts(2, { unknown_cost_executions: 2 }) },
  ]
  expect(formatUsageCsv(report(rows)).split('\r\n')).toEqual([
    'key,model,executions,completed,failed,cancelled,lost,input_tokens,output_tokens,cached_tokens,reasoning_tokens,' +
      'cache_write_tokens,cost_usd,priced_usd,plan_executions,unknown_cost_executions,duration_ms',
    `"'=HYPERLINK(""x"", 1)","a ""b"", c",1,1,0,0,0,1200,34,0,0,0,0.00852,0.00852,0,0,65000`,
    `,'@sum,2,2,0,0,0,1200,34,0,0,0,,,0,2,65000`,
    '',
  ])
})
