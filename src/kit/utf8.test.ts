import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { compareBytes, encodeUtf8 } from './utf8.ts'

describe('encodeUtf8', () => {
  it('returns the bytes of a text', () => {
    expect([...encodeUtf8('é🙂')]).toEqual([0xc3, 0xa9, 0xf0, 0x9f, 0x99, 0x82])
  })

  it.each(['\ud800', '\udc00', 'a\ud83d', '\ude42\ud83d'])('throws on the lone surrogate in %j', (text) => {
    expect(() => encodeUtf8(text)).toThrow(TypeError)
  })
})

describe('compareBytes', () => {
  it('sorts characters above U+FFFF last, unlike JavaScript', () => {
    expect(compareBytes('🙂', '\uffff')).toBeGreaterThan(0)
    expect('🙂' > '\uffff').toBe(false)
  })

  it('sorts a prefix first', () => {
    expect(compareBytes('ab', 'abc')).toBeLessThan(0)
    expect(compareBytes('abc', 'ab')).toBeGreaterThan(0)
    expect(compareBytes('ab', 'ab')).toBe(0)
  })

  it('agrees with the order of the encoded bytes', () => {
    // Few characters, from both sides of the surrogates, so that texts share beginnings.
    const text = fc.string({
      unit: fc.constantFrom('a', '~', 'é', '\ud7ff', '\ue000', '\uffff', '🙂', '🙃', '\u{10ffff}'),
    })
    fc.assert(
      fc.property(text, text, (a, b) => {
        expect(Math.sign(compareBytes(a, b))).toBe(Buffer.compare(Buffer.from(a), Buffer.from(b)))
      }),
    )
  })
})
