import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { isDate, isTimestamp, toTimestamp } from './clock.ts'

describe('toTimestamp', () => {
  it('writes every time in UTC with milliseconds, whatever it wrote before', () => {
    const moment = fc.date({ min: new Date(0), max: new Date('2100-01-01'), noInvalidDate: true })
    fc.assert(
      fc.property(fc.array(moment, { minLength: 1 }), (moments) => {
        const twice = moments.flatMap((each) => [each, new Date(each)])
        expect(twice.map(toTimestamp)).toEqual(twice.map((each) => each.toISOString()))
      }),
    )
  })

  it('throws on an invalid date', () => {
    toTimestamp(new Date(0))
    expect(() => toTimestamp(new Date(Number.NaN))).toThrow(RangeError)
  })
})

describe('isTimestamp', () => {
  it.each([
    '2026-01-31T09:30:00Z',
    '2026-01-31t09:30:00z',
    '2026-01-31T09:30:00.123456789Z',
    '2026-01-31T00:00:00+23:59',
    '2026-12-31T23:59:59-00:00',
    '2024-02-29T00:00:00Z',
    '2000-02-29T00:00:00Z',
  ])('accepts %s', (text) => {
    expect(isTimestamp(text)).toBe(true)
  })

  it.each([
    ['a space between date and time', '2026-01-31 09:30:00Z'],
    ['no zone', '2026-01-31T09:30:00'],
    ['a zone without minutes', '2026-01-31T09:30:00+01'],
    ['a zone without a colon', '2026-01-31T09:30:00+0100'],
    ['no seconds', '2026-01-31T09:30Z'],
    ['a hour of one digit', '2026-01-31T9:30:00Z'],
    ['a comma before the fraction', '2026-01-31T09:30:00,5Z'],
    ['a fraction without digits', '2026-01-31T09:30:00.Z'],
    ['a date alone', '2026-01-31'],
    ['month 0', '2026-00-31T09:30:00Z'],
    ['month 13', '2026-13-01T09:30:00Z'],
    ['day 0', '2026-01-00T09:30:00Z'],
    ['the 31st of April', '2026-04-31T09:30:00Z'],
    ['the 29th of February in a common year', '2026-02-29T09:30:00Z'],
    ['the 29th of February in a common century', '2100-02-29T09:30:00Z'],
    ['hour 24', '2026-01-31T24:00:00Z'],
    ['minute 60', '2026-01-31T09:60:00Z'],
    ['a leap second, which many validators refuse', '2016-12-31T23:59:60Z'],
    ['a leap second in another zone', '2017-01-01T01:59:60+02:00'],
    ['a zone of 24 hours', '2026-01-31T09:30:00+24:00'],
    ['a zone of 60 minutes', '2026-01-31T09:30:00+01:60'],
    ['a line feed behind it', '2026-01-31T09:30:00Z\n'],
  ])('refuses %s', (_name, text) => {
    expect(isTimestamp(text)).toBe(false)
  })

  it('accepts the output of Date', () => {
    const dates = fc.date({ min: new Date('0000-01-01'), max: new Date('9999-12-31'), noInvalidDate: true })
    fc.assert(fc.property(dates, (date) => isTimestamp(date.toISOString())))
  })
})

describe('isDate', () => {
  it.each([
    ['2026-01-31', true],
    ['2028-02-29', true],
    ['2026-02-29', false],
    ['2026-1-31', false],
    ['2026-01-31T00:00:00Z', false],
    ['', false],
  ])('of %j is %s', (text, isOne) => {
    expect(isDate(text)).toBe(isOne)
  })
})
