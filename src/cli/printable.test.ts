import { describe, expect, it } from 'vitest'
import { toOneLine, toPrintable } from './printable.ts'

describe('toPrintable', () => {
  it.each([
    ['a colour', '\u001b[31mred\u001b[0m', '[31mred[0m'],
    ['a title', '\u001b]0;owned\u0007x', ']0;ownedx'],
    ['a return to the line start', 'real\rfake', 'realfake'],
    ['a one-byte control sequence', '\u009b2Jx', '2Jx'],
    ['line breaks and tabs', 'a\n\tb\r\nc', 'a\n\tb\nc'],
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
    ['wide characters by their columns', '漢字漢字', 5, '漢…'],
    ['nothing', '', 5, ''],
  ])('shortens %s', (_name, text, columns, shown) => {
    expect(toOneLine(text, columns)).toBe(shown)
  })
})
