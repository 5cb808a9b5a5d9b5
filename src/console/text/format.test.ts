import { describe, expect, it } from 'vitest'
import {
  describeSpentCost,
  formatAge,
  formatCost,
  formatCount,
  formatDuration,
  formatReset,
  formatTokens,
  percentile,
} from './format.ts'

describe('formatting', () => {
  it.each([
    [40, '40 ms'],
    [850, '850 ms'],
    [9940, '9.9 s'],
    [25_800, '25.8 s'],
    [61_000, '1 min 1 s'],
    [7_260_000, '2 h 1 min'],
  ])('shows %d ms as %s', (ms, text) => expect(formatDuration(ms)).toBe(text))

  it('shows when a budget resets with the hour, in UTC', () => {
    expect(formatReset(new Date('2026-11-20T00:00:00Z'))).toMatch(/20.* 00:00 UTC$/)
  })

  it.each([
    [999, '999'],
    [1500, '1.5k'],
    [9949, '9.9k'],
    [9950, '10k'],
    [999_499, '999k'],
    [999_500, '1.0M'],
    [48_210, '48k'],
    [2_500_000, '2.5M'],
  ])('shows %d as %s', (count, text) => expect(formatCount(count)).toBe(text))

  it.each([
    [0, 0, ''],
    [1, 0, '1 token in, 0 out'],
    [1500, 31, '1.5k tokens in, 31 out'],
  ])('shows %d tokens read and %d written as %j', (read, written, text) =>
    expect(formatTokens(read, written)).toBe(text),
  )

  it.each([
    [0, '$0.00'],
    [0.0023, '$0.0023'],
    [0.0099, '$0.0099'],
    [0.01, '$0.01'],
    [0.07, '$0.07'],
    [12.5, '$12.50'],
  ])('shows a cost of %d as %s', (cost, text) => expect(formatCost(cost)).toBe(text))

  it.each([
    [-5000, 'just now'],
    [59_000, 'just now'],
    [120_000, '2 min ago'],
    [7_200_000, '2 h ago'],
    [86_400_000, '1 day ago'],
    [172_800_000, '2 days ago'],
    [604_799_000, '6 days ago'],
    [604_800_000, '2026-01-24'],
  ])('shows the age %d ms as %s', (ms, text) => {
    const now = Date.parse('2026-01-31T09:00:00Z')
    expect(formatAge(new Date(now - ms).toISOString(), now)).toBe(text)
  })

  it.each([
    [[], 0.5, undefined],
    [[3], 0.99, 3],
    [[4, 1, 3, 2], 0.5, 2],
    [[4, 1, 3, 2], 0.9, 4],
  ])('finds in %j the value at %d', (values, share, found) => expect(percentile(values, share)).toBe(found))
})

it.each([
  [{ cost: 0 }, ''],
  [{ cost: 1.5 }, '$1.50'],
  [{ cost: 0.0129, priced: 12_900, unknown: 3 }, '~$0.01, 3 attempts of unknown cost'],
  [{ cost: 0, unknown: 1 }, '1 attempt of unknown cost'],
])('says of %j what was paid, and what that misses', (spent, text) => expect(describeSpentCost(spent)).toBe(text))
