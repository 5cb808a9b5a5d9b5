import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { splitText } from './split-text.ts'

describe('splitText', () => {
  it.each<[string, string[]]>([
    ['', []],
    ['abc', ['abc']],
    ['abcd', ['abc', 'd']],
    ['ab😀c', ['ab', '😀c']],
    ['a😀bc', ['a😀', 'bc']],
  ])('splits %j into %j', (text, pieces) => {
    expect(splitText(text, 3)).toEqual(pieces)
  })

  it('keeps every character', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), fc.integer({ min: 2, max: 9 }), (text, limit) => {
        const pieces = splitText(text, limit)
        expect(pieces.join('')).toBe(text)
        expect(pieces.every((piece) => piece.length <= limit && piece.isWellFormed())).toBe(true)
      }),
    )
  })
})
