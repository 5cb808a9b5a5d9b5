import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  countColumns,
  cutToColumns,
  padToColumns,
  splitToColumns,
  toMessage,
  toOneLine,
  toPrintable,
} from './printable.ts'

const FAMILY = '👩‍👩‍👧'

describe('toPrintable', () => {
  it.each([
    ['a colour', '\u001b[31mred\u001b[0m', '[31mred[0m'],
    ['a title', '\u001b]0;owned\u0007x', ']0;ownedx'],
    ['a carriage return', 'real\rfake', 'realfake'],
    ['a one-byte control sequence', '\u009b2Jx', '2Jx'],
    ['line breaks and tabs', 'a\n\tb\r\nc', 'a\n\tb\nc'],
    ['marks that reverse the direction of text', 'a\u061c\u200e\u200f\u202a\u202e\u2066\u2069b', 'ab'],
    ['a joined emoji', FAMILY, FAMILY],
    ['letters of any script', 'añ漢😀', 'añ漢😀'],
  ])('handles %s', (_name, text, shown) => {
    expect(toPrintable(text)).toBe(shown)
  })
})

describe('toMessage', () => {
  it('indents further lines', () => {
    expect(toMessage('x\r\ndrover: \u001by\n\n')).toBe('x\n  drover: y')
  })
})

describe('toOneLine', () => {
  it.each([
    ['text that fits', 'ls -l', 5, 'ls -l'],
    ['text that does not fit', 'ls -la', 5, 'ls -…'],
    ['several lines', ' a\n  b\tc ', 20, 'a b c'],
    ['wide characters by columns', '漢字漢字', 5, '漢字…'],
    ['a wide character to less than its width', '漢字', 2, '…'],
    ['an emoji, which stays whole', 'a😀😀', 4, 'a😀…'],
    ['a joined emoji', `${FAMILY}${FAMILY}`, 3, `${FAMILY}…`],
    ['a combining accent', 'e\u0301e\u0301e\u0301', 2, 'e\u0301…'],
    ['nothing', '', 5, ''],
    ['any text to zero columns', 'text', 0, '…'],
  ])('shortens %s', (_name, text, columns, shown) => {
    expect(toOneLine(text, columns)).toBe(shown)
  })

  it('never exceeds the columns and never cuts a grapheme', () => {
    const anything = fc.string({ unit: 'grapheme' })
    fc.assert(
      fc.property(anything, fc.integer({ min: 1, max: 20 }), (text, columns) => {
        const line = toOneLine(text, columns)
        expect(countColumns(line)).toBeLessThanOrEqual(columns)
        expect(line.isWellFormed()).toBe(true)
      }),
    )
  })

  it('handles megabytes without measuring all of the text', () => {
    expect(toOneLine('漢'.repeat(1_000_000), 7)).toBe('漢漢漢…')
  })
})

describe('countColumns', () => {
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
    expect(countColumns(text)).toBe(columns)
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

  it('gives a grapheme that is too wide its own piece', () => {
    expect(splitToColumns('漢字', 1)).toEqual(['漢', '字'])
  })
})

describe('padToColumns', () => {
  it('pads to the width in terminal columns', () => {
    expect(padToColumns('漢', 4)).toBe('漢  ')
    expect(padToColumns('toolong', 4)).toBe('toolong')
  })
})
