import { describe, expect, it } from 'vitest'
import { parseAge, parseDay, parseTime } from './parse-time.ts'

const NOW = new Date('2026-03-10T12:00:00.000Z')

describe('parseAge', () => {
  it.each([
    ['90m', 5_400_000],
    ['12h', 43_200_000],
    ['30d', 2_592_000_000],
    ['2w', 1_209_600_000],
    ['0d', 0],
    ['36500d', 3_153_600_000_000],
    ['36501d', undefined],
    ['30', undefined],
    ['1.5d', undefined],
    ['-1d', undefined],
    ['d', undefined],
    ['', undefined],
  ])('reads %j as %s', (text, milliseconds) => {
    expect(parseAge(text)).toBe(milliseconds)
  })
})

describe('parseDay', () => {
  it.each([
    ['7d', '2026-03-03'],
    ['2w', '2026-02-24'],
    ['13h', '2026-03-09'],
    ['12h', '2026-03-10'],
    ['today', '2026-03-10'],
    ['yesterday', '2026-03-09'],
    ['2026-11-01', '2026-11-01'],
    ['2026-02-30', undefined],
    ['7', undefined],
    ['36501d', undefined],
    ['', undefined],
  ])('reads %j as the day %s in UTC', (text, day) => {
    expect(parseDay(text, NOW)).toBe(day)
  })
})

describe('parseTime', () => {
  it.each([
    ['7d', '2026-03-03T12:00:00.000Z'],
    ['12h', '2026-03-10T00:00:00.000Z'],
    ['2026-03-01', new Date('2026-03-01T00:00:00').toISOString()],
    ['2026-03-01T10:00:00Z', '2026-03-01T10:00:00.000Z'],
    ['2026-03-01T10:00:00.25+02:00', '2026-03-01T08:00:00.250Z'],
    ['2026-02-30', undefined],
    ['2026-13-01', undefined],
    ['2026-03-01T25:00:00Z', undefined],
    ['2026-03-01 10:00', undefined],
    ['yesterday', new Date('2026-03-09T00:00:00').toISOString()],
    ['today', new Date('2026-03-10T00:00:00').toISOString()],
    ['tomorrow', undefined],
    ['', undefined],
  ])('reads %j as %s', (text, timestamp) => {
    expect(parseTime(text, NOW)).toBe(timestamp)
  })
})
