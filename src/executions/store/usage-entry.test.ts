import { describe, expect, it } from 'vitest'
import type { Execution } from './execution.shape.ts'
import { countsUsage, toUsageEntry } from './usage-entry.ts'

const EXECUTION: Execution = {
  id: 'exec_000000000000000000000001',
  state: 'completed',
  kind: 'prompt',
  owner: 'me',
  backend: 'claude',
  model: 'opus',
  api_key: 'ci',
  key_id: 'key_1',
  created_at: '2026-01-30T23:59:00.000Z',
  started_at: '2026-01-30T23:59:30.000Z',
  ended_at: '2026-01-31T00:00:10.500Z',
  usage: { input_tokens: 5, output_tokens: 4, cached_tokens: 3, reasoning_tokens: 2, cache_write_tokens: 1 },
  cost_usd: 0.25,
  last_seq: 9,
}

describe('countsUsage', () => {
  it.each([
    ['a prompt', { backend: 'claude' }, true],
    ['a dry run', { backend: 'claude', isDryRun: true }, false],
    ['a batch', {}, false],
  ])('decides about %s', (_name, start, counts) => {
    expect(countsUsage(start)).toBe(counts)
  })
})

describe('toUsageEntry', () => {
  it('counts the execution on the day of its end, with what it used', () => {
    expect(toUsageEntry(EXECUTION, { countsTokens: true })).toEqual({
      day: '2026-01-31',
      api_key: 'ci',
      key_id: 'key_1',
      backend: 'claude',
      model: 'opus',
      completed: 1,
      failed: 0,
      cancelled: 0,
      lost: 0,
      input_tokens: 5,
      output_tokens: 4,
      cached_tokens: 3,
      reasoning_tokens: 2,
      cache_write_tokens: 1,
      cost_usd: 0.25,
      ...{ priced_usd: null, plan_executions: 0, unknown_cost_executions: 0 },
      duration_ms: 40_500,
    })
  })

  const { started_at: _started, ...neverStarted } = EXECUTION
  const { api_key: _key, key_id: _id, model: _model, usage: _usage, cost_usd: _cost, ...unknown } = EXECUTION
  const NOTHING = { input_tokens: 0, output_tokens: 0, cached_tokens: 0, reasoning_tokens: 0, cache_write_tokens: 0 }

  it.each<[string, Execution, boolean, object]>([
    ['a failed one', { ...EXECUTION, state: 'failed' }, true, { completed: 0, failed: 1 }],
    ['a cancelled one', { ...EXECUTION, state: 'cancelled' }, true, { completed: 0, cancelled: 1 }],
    ['a lost one, whose duration is unknown', { ...EXECUTION, state: 'lost' }, true, { lost: 1, duration_ms: 0 }],
    ['one that was never started', neverStarted, true, { duration_ms: 0 }],
    [
      'no key, no model and no report',
      unknown,
      true,
      { api_key: '', key_id: '', model: '', cost_usd: null, unknown_cost_executions: 1, ...NOTHING },
    ],
    ['tokens that are not stored', EXECUTION, false, { cost_usd: 0.25, ...NOTHING }],
    ['tokens at list prices', { ...EXECUTION, cost_kind: 'priced' }, true, { cost_usd: 0.25, priced_usd: 0.25 }],
    ['a plan', { ...unknown, cost_kind: 'plan' }, true, { plan_executions: 1, unknown_cost_executions: 0 }],
    ['the demo agent', { ...EXECUTION, is_demo: true }, true, { model: 'demo' }],
    ['a model with a long name', { ...EXECUTION, model: 'm'.repeat(201) }, true, { model: 'm'.repeat(200) }],
    ['a clock that was set back', { ...EXECUTION, started_at: '2026-02-01T00:00:00Z' }, true, { duration_ms: 0 }],
  ])('handles %s', (_name, execution, countsTokens, entry) => {
    expect(toUsageEntry(execution, { countsTokens })).toMatchObject(entry)
  })
})
