import { describe, expect, it } from 'vitest'
import { canceledResult } from '../../prompts/prompt-result.ts'
import { formatCompared, formatComparison, formatContenders } from './comparison-text.ts'
import { formatOutcome, formatTotals, formatWarnings, outcomeTable } from './print-batch.ts'

const OUT = {
  style: (_style: unknown, text: string) => text,
  isTty: true,
  canRedraw: true,
  columns: 80,
  rows: 24,
  hasStyle: false,
  disableColor: () => undefined,
  write: async () => 'written' as const,
}
const CANCELLED = { item: { mark: '[1]', name: 'alpha', backend: 'claude' }, result: canceledResult('claude') }

describe('a cancelled item', () => {
  it('is called canceled in the output, the table and the totals', () => {
    expect(formatOutcome(CANCELLED, OUT)).toBe('[1] alpha (claude)\ncanceled\n\n')
    expect(outcomeTable([CANCELLED], { first: 'TASK', last: 'NAME' }, OUT).split('\n')[1]).toMatch(
      /^1 +claude +CANCELED +- +- +alpha$/,
    )
    expect(formatTotals([CANCELLED], { noun: 'task', durationMs: 0 })).toBe('1 task: 0 completed, 1 canceled; 0 ms\n')
  })
})

it('no line of a warning of an agent looks like a message of drover', () => {
  const warned = { ...CANCELLED, result: { ...CANCELLED.result, warnings: ['w\ndrover: a'] } }
  expect(formatWarnings([warned])).toBe('drover: warning: [1] w\n  drover: a\n')
})

it('an agent that was canceled in a comparison is called that, not a run', () => {
  const canceled = { name: 'claude', backend: 'claude', state: 'cancelled', work: 'none' } as const
  const shown = (error: string) => formatContenders([{ ...canceled, error }], { out: OUT, id: 'exec_1' })
  expect(shown('the run was canceled')).toMatch(/\nclaude: canceled\n$/)
  expect(shown('the run was canceled; it was retrying after: no network')).toMatch(/: canceled; it was retrying after:/)
})

it('tasks have a column for costs if one is known', () => {
  const known = { ...CANCELLED, result: { ...CANCELLED.result, cost_usd: 0.5, cost_kind: 'priced' as const } }
  const unknown = { item: CANCELLED.item, result: undefined }
  const table = outcomeTable([known, CANCELLED, unknown], { first: '#', last: 'TASK' }, OUT)
  const ends = table.split('\n').map((line) => line.split(/ +/).slice(-3).join(' '))
  expect(ends).toEqual(['TOKENS COST TASK', '- ~$0.5000 alpha', '- - alpha', '- - alpha', ''])
})

it('the tokens of an agent that reported none are not known, nor is the time of one that never began', () => {
  const { result } = CANCELLED
  const { backend, duration_ms } = result
  const contender = { name: backend, backend, duration_ms, token_usage: result.token_usage }
  expect(formatCompared([result], { out: OUT, isKept: true })).toMatch(/TOKENS\n.* -\n/)
  expect(formatContenders([{ ...contender, state: 'failed', work: 'none' }], { out: OUT, id: 'exec_1' })).toMatch(
    /COST +WORK\nclaude +failed +- +- +- +- +- +- +- +-\n/,
  )
  expect(formatComparison([result], { out: { ...OUT, isTty: false }, demoBackends: [] })).toMatch(
    /^claude\ncanceled\n$/,
  )
})

it('a comparison says why a cost is not known', () => {
  const token_usage = { input_tokens: 9, output_tokens: 1, cached_tokens: 0, reasoning_tokens: 0 }
  const unknown = { ...canceledResult('codex'), token_usage, model: 'house-1' }
  const paid = { ...unknown, backend: 'claude', cost_usd: 0.5, cost_kind: 'reported' as const }
  const shown = (results: (typeof unknown)[]) => formatCompared(results, { out: OUT, isKept: true })
  expect(shown([paid, unknown])).toContain('\nThe cost of house-1 is not known.')
  const planned = { ...unknown, cost_kind: 'plan' as const } as typeof unknown
  expect(shown([paid, planned])).not.toContain('not known')
  expect(shown([planned])).toMatch(/ COST\n.* plan$/m)
  expect(formatComparison([planned], { out: { ...OUT, isTty: false }, demoBackends: [] })).toMatch(/10 tokens, plan\n$/)
})

describe('tokens of a cache', () => {
  const USAGE = { output_tokens: 30, cached_tokens: 900, reasoning_tokens: 0 }
  const results = [
    { ...canceledResult('claude'), token_usage: { ...USAGE, input_tokens: 100, cache_write_tokens: 200 } },
    { ...canceledResult('codex'), token_usage: { ...USAGE, input_tokens: 1200 } },
  ]

  it('count alike for claude and codex in the table and the sum of tasks', () => {
    const outcomes = results.map((result) => ({ item: { mark: '', name: 'n', backend: result.backend }, result }))
    const [, ...rows] = outcomeTable(outcomes, { first: 'TASK', last: 'NAME' }, OUT).trim().split('\n')
    expect(rows).toEqual([expect.stringMatching(/ 1230 +n$/), expect.stringMatching(/ 1230 +n$/)])
    expect(formatTotals(outcomes, { noun: 'task', durationMs: 0 })).toContain(' 2460 tokens\n')
  })

  it('count alike for claude and codex in a comparison', () => {
    expect(formatComparison(results, { out: { ...OUT, isTty: false }, demoBackends: [] }).match(/\d+ tokens/g)).toEqual(
      ['1230 tokens', '1230 tokens'],
    )
    expect(formatCompared(results, { out: OUT, isKept: true }).match(/ 1230$/gm)).toHaveLength(2)
  })
})
