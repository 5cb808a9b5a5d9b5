import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { bearerToken } from './authenticate.ts'

describe('bearerToken', () => {
  it.each<[string | undefined, string | undefined]>([
    ['Bearer abc', 'abc'],
    ['bearer abc', 'abc'],
    ['BEARER \t abc \t', 'abc'],
    ['Bearer a b', 'a b'],
    ['Bearer', undefined],
    ['Bearer ', undefined],
    ['Bearerabc', undefined],
    ['Basic abc', undefined],
    [' Bearer abc', undefined],
    [undefined, undefined],
  ])('finds in %j the token %j', (header, token) => {
    expect(bearerToken(header)).toBe(token)
  })

  it('finds every key that the server would take', () => {
    const key = fc.string({
      unit: fc.integer({ min: 0x21, max: 0x7e }).map((code) => String.fromCharCode(code)),
      minLength: 1,
    })
    fc.assert(fc.property(key, (text) => void expect(bearerToken(`Bearer ${text}`)).toBe(text)))
  })

  it('takes no time over blanks without end', () => {
    expect(bearerToken(`Bearer ${' '.repeat(16_000)}x\n`)).toBeUndefined()
  })
})
