import { describe, expect, it } from 'vitest'
import { normalizeLineEnds, readTextLines } from './text-lines.ts'

describe('normalizeLineEnds', () => {
  it.each([
    ['a\r\nb', 'a\nb'],
    ['a\rb', 'a\nb'],
    ['a\n\rb', 'a\n\nb'],
    ['a\r\r\nb\r', 'a\n\nb\n'],
    [' a \t\n\n', ' a \t\n\n'],
    ['e\u0301\u2028x', 'e\u0301\u2028x'],
  ])('turns %j into %j', (text, normalized) => {
    expect(normalizeLineEnds(text)).toBe(normalized)
  })
})

describe('readTextLines', () => {
  it.each([
    ['', ['']],
    ['a', ['a']],
    ['a\n', ['a', '']],
    ['\n\na', ['', '', 'a']],
  ])('splits %j as split does', (text, lines) => {
    expect([...readTextLines(text)].map((line) => line.text)).toEqual(lines)
  })

  it('returns the end and the number of each line', () => {
    expect([...readTextLines('ab\nc')]).toEqual([
      { text: 'ab', end: 2, number: 1 },
      { text: 'c', end: 4, number: 2 },
    ])
  })
})
