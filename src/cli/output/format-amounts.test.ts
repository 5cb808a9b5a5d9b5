import { describe, expect, it } from 'vitest'
import { formatAge, formatDuration, formatPaid, formatUsage } from './format-amounts.ts'

const NOW = new Date('2026-03-10T12:00:00.000Z')

describe('formatAge', () => {
  it.each([
    ['2026-03-10T12:00:05.000Z', 'just now'],
    ['2026-03-10T11:59:01.000Z', 'just now'],
    ['2026-03-10T11:59:00.000Z', '1m ago'],
    ['2026-03-10T11:00:01.000Z', '59m ago'],
    ['2026-03-10T11:00:00.000Z', '1h ago'],
    ['2026-03-09T12:00:00.000Z', '1d ago'],
    ['2026-03-03T12:00:01.000Z', '6d ago'],
    ['2026-03-03T12:00:00.000Z', '2026-03-03'],
  ])('formats %s as %s', (timestamp, text) => {
    expect(formatAge(timestamp, NOW)).toBe(text)
  })
})

describe('formatDuration', () => {
  it.each([
    [0, '0 ms'],
    [999, '999 ms'],
    [1000, '1.0 s'],
    [59_900, '59.9 s'],
    [60_000, '1:00'],
    [245_000, '4:05'],
    [3_723_000, '1:02:03'],
  ])('formats %i as %s', (milliseconds, text) => {
    expect(formatDuration(milliseconds)).toBe(text)
  })
})

describe('formatPaid', () => {
  it.each([
    [{ cost_usd: 0.0043, cost_kind: 'reported' }, '$0.0043'],
    [{ cost_usd: 1.234, cost_kind: 'priced' }, '~$1.23'],
    [{ cost_kind: 'plan' }, 'plan'],
    [{}, undefined],
  ] as const)('formats %j as %s', (paid, text) => {
    expect(formatPaid(paid)).toBe(text)
  })
})

describe('formatUsage', () => {
  it.each([
    ['claude', { input_tokens: 100, output_tokens: 30, reasoning_tokens: 0, cache_write_tokens: 200 }],
    ['codex', { input_tokens: 1200, output_tokens: 30, reasoning_tokens: 0 }],
    ['gemini', { input_tokens: 1200, output_tokens: 20, reasoning_tokens: 10 }],
  ])('counts each token of %s once', (backend, usage) => {
    const thought = usage.reasoning_tokens
    expect(formatUsage({ ...usage, cached_tokens: 900 }, backend)).toBe(
      `1200 in (900 cached), 30 out (${thought} reasoning)`,
    )
  })
})
