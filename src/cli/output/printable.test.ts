import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { columnsOf, cutToColumns, padToColumns, splitToColumns, toOneLine, toPrintable } from './printable.ts'

const FAMILY = '👩‍👩‍👧'

describe('toPrintable', () => {
  it.each([
    ['a colour', '\u001b[31mred\u001b[0m', '[31mred[0m'],
    ['a title', '\u001b]0;owned\u0007x', ']0;ownedx'],
    ['a return to the line start', 'real\rfake', 'realfake'],
    ['a one-byte control sequence', '\u009b2Jx', '2Jx'],
    ['line breaks and tabs', 'a\n\tb\r\nc', 'a\n\tb\nc'],
    ['marks that turn text around', 'a\u061c\u200e\u200f\u202a\u202e\u2066\u2069b', 'ab'],
    ['a joined picture', FAMILY, FAMILY],
    ['letters of any script', 'añ漢😀', 'añ漢😀'],
  ])('treats %s', (_name, text, shown) => {
    expect(toPrintable(text)).toBe(shown)
  })
})

describe('toOneLine', () => {
  it.each([
    ['what fits', 'ls -l', 5, 'ls -l'],
    ['what does not', 'ls -la', 5, 'ls -…'],
    ['several lines', ' a\n  b\tc ', 20, 'a b c'],
    ['wide characters by their columns', '漢字漢字', 5, '漢字…'],
    ['a wide character to less than it takes', '漢字', 2, '…'],
    ['a picture, which stays whole', 'a😀😀', 4, 'a😀…'],
    ['a picture made of several', `${FAMILY}${FAMILY}`, 3, `${FAMILY}…`],
    ['an accent of its own', 'e\u0301e\u0301e\u0301', 2, 'e\u0301…'],
    ['nothing', '', 5, ''],
    ['anything to no columns at all', 'text', 0, '…'],
  ])('shortens %s', (_name, text, columns, shown) => {
    expect(toOneLine(text, columns)).toBe(shown)
  })

  it('never takes more columns than it may, nor cuts a character', () => {
    const anything = fc.string({ unit: 'grapheme' })
    fc.assert(
      fc.property(anything, fc.integer({ min: 1, max: 20 }), (text, columns) => {
        const line = toOneLine(text, columns)
        expect(columnsOf(line)).toBeLessThanOrEqual(columns)
        expect(line.isWellFormed()).toBe(true)
      }),
    )
  })

  it('takes a megabyte without looking at all of it', () => {
    expect(toOneLine('漢'.repeat(1_000_000), 7)).toBe('漢漢漢…')
  })
})

describe('columnsOf', () => {
  it.each([
    ['abc', 3],
    ['é', 1],
    ['漢字', 4],
    ['😀', 2],
    [FAMILY, 2],
    ['✅', 2],
    ['❤️', 2],
    ['e\u0301', 1],
    ['🇩🇪', 2],
    ['1️⃣', 2],
    ['ﾊﾞ', 2],
    ['〈〉', 4],
    ['a\u200bb', 2],
    ['', 0],
  ])('counts %s as %i', (text, columns) => {
    expect(columnsOf(text)).toBe(columns)
  })
})

describe('cutToColumns', () => {
  it.each([
    ['abcdef', 3, 'abc'],
    ['漢字', 3, '漢'],
    ['漢字', 1, ''],
    ['abc', 0, ''],
    ['abc', -1, ''],
  ])('cuts %s to %i', (text, columns, left) => {
    expect(cutToColumns(text, columns)).toBe(left)
  })
})

describe('splitToColumns', () => {
  it('loses nothing', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), fc.integer({ min: 1, max: 9 }), (text, columns) => {
        expect(splitToColumns(text, columns).join('')).toBe(text)
      }),
    )
  })

  it('gives a character that is too wide a piece of its own', () => {
    expect(splitToColumns('漢字', 1)).toEqual(['漢', '字'])
  })
})

describe('padToColumns', () => {
  it('fills up to the width, as a terminal counts it', () => {
    expect(padToColumns('漢', 4)).toBe('漢  ')
    expect(padToColumns('toolong', 4)).toBe('toolong')
  })
})
