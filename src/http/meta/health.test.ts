import { expect, it } from 'vitest'
import { formatUptime } from './health.ts'

it.each([
  [0, '0s'],
  [499, '0s'],
  [500, '1s'],
  [59_499, '59s'],
  [59_500, '1m0s'],
  [151_000, '2m31s'],
  [3_600_000, '1h0m0s'],
  [3_605_000, '1h0m5s'],
  [90_000_000, '25h0m0s'],
])('%i ms are %s', (ms, text) => {
  expect(formatUptime(ms)).toBe(text)
})
