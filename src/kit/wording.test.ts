import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { formatMoment, toLocalMinute, withLocalTimes, withUtcTimes } from './wording.ts'

const NOW = new Date('2026-11-18T21:40:00.000Z')
const at = (ms: number) => new Date(NOW.getTime() + ms).toISOString()
const [SECOND, MINUTE, DAY] = [1000, 60_000, 24 * 60 * 60_000]

describe('in a time zone that is an hour ahead', () => {
  beforeEach(() => {
    vi.stubEnv('TZ', 'Europe/Berlin')
  })
  afterEach(() => {
    vi.unstubAllEnvs()
  })

  it.each([
    [0, '22:40, less than a minute ago'],
    [59 * SECOND, '22:40, in less than a minute'],
    [MINUTE, '22:41, in 1 min'],
    [60 * MINUTE, '23:40, in 1 h'],
    [200 * MINUTE, '02:00, in 3 h 20 min'],
    [DAY - SECOND, '22:39, in 23 h 59 min'],
    [DAY, '2026-11-19 22:40, in 24 h'],
    [2 * DAY - MINUTE, '2026-11-20 22:39, in 47 h 59 min'],
    [2 * DAY, '2026-11-20 22:40, in 2 days'],
    [7 * DAY - SECOND, '2026-11-25 22:39, in 7 days'],
    [6.5 * DAY - SECOND, '2026-11-25 10:39, in 6 days'],
    [6.5 * DAY, '2026-11-25 10:40, in 7 days'],
    [-5 * MINUTE, '22:35, 5 min ago'],
    [-DAY, '2026-11-17 22:40, 24 h ago'],
  ])('a moment %i ms away is %s', (ms, text) => {
    expect(formatMoment(at(ms), NOW)).toBe(text)
  })

  it('a minute is local', () => {
    expect(toLocalMinute('2026-07-31T23:05:59.000Z')).toBe('2026-08-01 01:05')
  })

  it.each([
    ['claude is limited until 2026-11-19T01:00:00.000Z; later', 'claude is limited until 02:00, in 3 h 20 min; later'],
    ['since 2026-11-18T21:30:00Z: x', 'since 22:30, 10 min ago: x'],
    ['2026-11-18T21:30:00.000Z', '22:30, 10 min ago'],
    ['tries again at 2026-11-19T01:00:00.000Z: x', 'tries again at 02:00, in 3 h 20 min: x'],
    ['at 2026-11-18T21:30:00.000Z', 'at 2026-11-18T21:30:00.000Z'],
    ['until 2026-11-19', 'until 2026-11-19'],
  ])('%s becomes %s', (text, local) => {
    expect(withLocalTimes(text, NOW)).toBe(local)
  })

  it.each([
    ['limited until 2026-11-19T05:00:59.972Z; later', 'limited until 2026-11-19 05:00:59 UTC; later'],
    ['again at 2026-11-19T05:00:59Z', 'again at 2026-11-19 05:00:59 UTC'],
    ['2026-11-19T05:00:59.972Z', '2026-11-19 05:00:59 UTC'],
    ['at 2026-11-19T05:00:59.972Z', 'at 2026-11-19T05:00:59.972Z'],
  ])('for a file, %s becomes %s', (text, utc) => {
    expect(withUtcTimes(text)).toBe(utc)
  })
})
