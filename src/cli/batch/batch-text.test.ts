import { describe, expect, it } from 'vitest'
import { canceledResult } from '../../prompts/prompt-result.ts'
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
      /^1 +claude +CANCELED +0 ms +0 +alpha$/,
    )
    expect(formatTotals([CANCELLED], { noun: 'task', durationMs: 0 })).toBe(
      '1 task: 0 completed, 1 canceled; 0 ms, 0 tokens\n',
    )
  })
})

it('no line of a warning of an agent looks like a message of drover', () => {
  const warned = { ...CANCELLED, result: { ...CANCELLED.result, warnings: ['w\ndrover: a'] } }
  expect(formatWarnings([warned])).toBe('drover: warning: [1] w\n  drover: a\n')
})
