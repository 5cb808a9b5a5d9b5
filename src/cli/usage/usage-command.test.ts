import { describe, expect, it } from 'vitest'
import type { UsageReport, UsageRow } from '../../executions/store/usage-report.shape.ts'
import { formatCount, formatUsageReport } from './usage-command.ts'

const amounts = (executions: number, more: Partial<UsageRow> = {}) => ({
  ...{ executions, completed: executions, failed: 0, cancelled: 0, lost: 0 },
  ...{ input_tokens: 1200, output_tokens: 34, cached_tokens: 0, reasoning_tokens: 0, cache_write_tokens: 0 },
  ...{ duration_ms: 65_000, plan_executions: 0, unknown_cost_executions: 0 },
  ...more,
})

const TOTALS = amounts(17, { cost_usd: 12.5, failed: 2, lost: 1 })

const report = (group_by: UsageReport['group_by'], rows: UsageRow[], totals = TOTALS): UsageReport => ({
  since: '2026-01-01',
  until: '2026-01-31',
  group_by,
  rows,
  totals,
})

describe('formatUsageReport', () => {
  it('shows a row for each group and the totals, without a column for keys if there are none', () => {
    const rows = [
      { day: '2026-01-31', key: '', backend: 'claude', model: 'claude-opus-4', ...amounts(16, { cost_usd: 12.5 }) },
      { day: '2026-01-30', key: '', backend: 'codex', model: '', ...amounts(1, { failed: 2, lost: 1 }) },
      { day: '2026-01-30', key: '', backend: 'codex', model: 'gpt-5', ...amounts(1, { cost_usd: 2, priced_usd: 1 }) },
    ]
    expect(formatUsageReport(report(['day', 'key', 'backend', 'model'], rows), { width: 80 })).toEqual([
      'DAY         BACKEND  COUNT  FAILED  IN    OUT  COST    MODEL',
      '2026-01-31  claude   16     0       1.2k  34   $12.50  claude-opus-4',
      '2026-01-30  codex    1      3       1.2k  34   -       -',
      '2026-01-30  codex    1      0       1.2k  34   ~$2.00  gpt-5',
      'total                17     3       3.6k  102  $12.50',
    ])
  })

  it('shows the time if rows are not for models', () => {
    const rows = [
      { key: 'ci', ...amounts(9) },
      { key: '', ...amounts(8) },
    ]
    expect(formatUsageReport(report(['key'], rows), { width: 80 })).toEqual([
      'KEY    COUNT  FAILED  IN    OUT  COST    TIME',
      'ci     9      0       1.2k  34   -       1:05',
      '-      8      0       1.2k  34   -       1:05',
      'total  17     3       2.4k  68   $12.50  1:05',
    ])
  })

  it('labels the row if rows are for keys, and no key was used', () => {
    expect(formatUsageReport(report(['key'], [{ key: '', ...amounts(17) }]), { width: 80 })).toEqual([
      'KEY    COUNT  FAILED  IN    OUT  COST    TIME',
      '-      17     0       1.2k  34   -       1:05',
      'total  17     3       1.2k  34   $12.50  1:05',
    ])
  })

  it('shows no cost if only free prompts have a known one', () => {
    const totals = amounts(3, { cost_usd: 0, unknown_cost_executions: 2 })
    const rows = [
      { backend: 'claude', ...amounts(1, { cost_usd: 0 }) },
      { backend: 'codex', ...amounts(2, { cost_usd: 0, unknown_cost_executions: 1 }) },
    ]
    expect(formatUsageReport(report(['backend'], rows, totals), { width: 80 })).toEqual([
      'BACKEND  COUNT  FAILED  IN    OUT  COST   TIME',
      'claude   1      0       1.2k  34   $0.00  1:05',
      'codex    2      0       1.2k  34   -      1:05',
      'total    3      0       2.4k  68   -      1:05',
    ])
  })

  it.each([
    [1, 'COST misses 1 execution whose cost is not known.'],
    [2, 'COST misses 2 executions whose cost is not known.'],
  ])('says that %i is missing in the sums', (unknown, note) => {
    const totals = amounts(3, { cost_usd: 1, unknown_cost_executions: unknown })
    const lines = formatUsageReport(report(['backend'], [{ backend: 'codex', ...totals }], totals), { width: 80 })
    expect(lines).toEqual([lines[0], expect.stringContaining('$1.00'), expect.stringContaining('$1.00'), note])
  })

  it('counts tokens of a cache if each row is of one agent', () => {
    const cached = amounts(1, { input_tokens: 100, cached_tokens: 800, cache_write_tokens: 50 })
    const inputs = (...given: Parameters<typeof formatUsageReport>) =>
      formatUsageReport(...given).flatMap((line) => /^\S+ +1 +0 +(\S+)/.exec(line)?.[1] ?? [])
    const rows = [
      { backend: 'claude', ...cached },
      { backend: 'codex', ...cached },
    ]
    expect(inputs(report(['backend'], rows, cached), { width: 80 })).toEqual(['950', '100', '1.1k'])
    const byDay = report(['day'], [{ day: '2026-01-31', ...cached }], cached)
    expect(inputs(byDay, { width: 80, backend: 'claude' })).toEqual(['950', '950'])
    expect(inputs(byDay, { width: 80 })).toEqual(['100', '100'])
  })

  it('fits 80 columns, however long names and numbers are', () => {
    const large = { input_tokens: 999_400_000_000, output_tokens: 123_456_789, cost_usd: 12_345.67, failed: 99_999 }
    const row = { day: '2026-01-31', key: 'k'.repeat(64), backend: 'gemini', model: 'm'.repeat(200) }
    const lines = formatUsageReport(
      report(['day', 'key', 'backend', 'model'], [{ ...row, ...amounts(123_456, large) }]),
      { width: 80 },
    )
    expect(lines.filter((line) => line.length > 80)).toEqual([])
    expect(lines[0]).toContain('COST')
  })

  it('says that there is nothing', () => {
    expect(formatUsageReport(report(['day'], []), { width: 80 })).toEqual([
      'No prompt ended from 2026-01-01 to 2026-01-31.',
    ])
  })
})

describe('formatCount', () => {
  it.each([
    [0, '0'],
    [999, '999'],
    [1000, '1.0k'],
    [9949, '9.9k'],
    [9950, '10k'],
    [999_499, '999k'],
    [999_500, '1.0M'],
    [5_600_000, '5.6M'],
    [12_000_000_000, '12G'],
  ])('formats %i as %s', (count, text) => {
    expect(formatCount(count)).toBe(text)
  })
})
