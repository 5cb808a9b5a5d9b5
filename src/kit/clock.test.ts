import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { toTimestamp } from './clock.ts'

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
