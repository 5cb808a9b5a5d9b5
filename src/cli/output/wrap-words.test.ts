import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { countColumns } from './printable.ts'
import { wrapWords } from './wrap-words.ts'

describe('wrapWords', () => {
  it.each([
    ['breaks between words', 'one two three', 8, ['one two', 'three']],
    ['keeps a line that fits', 'one two', 7, ['one two']],
    ['breaks a word that is wider than the line', 'abcdefgh', 3, ['abc', 'def', 'gh']],
    ['starts such a word on a new line', 'a bcdefgh i', 4, ['a', 'bcde', 'fgh', 'i']],
    ['breaks a path', '  in /home/ada/wind b', 9, ['  in', '  /home/a', '  da/wind', '  b']],
    ['keeps line breaks and empty lines', 'a\n\nb', 9, ['a', '', 'b']],
    ['keeps the indentation', '  one two three', 8, ['  one', '  two', '  three']],
    ['keeps the spaces inside of a line that fits', 'a   b', 9, ['a   b']],
    ['keeps the spaces between words of a line that is broken', 'a   b c', 5, ['a   b', 'c']],
    ['measures wide characters in columns', '漢字 漢字', 6, ['漢字', '漢字']],
    ['replaces a tab by two spaces', '\ta', 9, ['  a']],
  ])('%s', (_name, text, columns, lines) => {
    expect(wrapWords(text, columns)).toEqual(lines)
  })

  it('keeps a path whole, on a separate line, if it is asked to', () => {
    const lines = wrapWords('  in /home/ada/wind b', 9, { keepsPaths: true })
    expect(lines).toEqual(['  in', '  /home/ada/wind', '  b'])
  })

  it('never makes a line too wide and never loses a word', () => {
    const word = fc.string({ minLength: 1, unit: fc.constantFrom('a', 'é', '漢', '😀') })
    fc.assert(
      fc.property(fc.array(word, { minLength: 1 }), fc.integer({ min: 2, max: 30 }), (words, columns) => {
        const lines = wrapWords(words.join(' '), columns)
        for (const line of lines) expect(countColumns(line)).toBeLessThanOrEqual(columns)
        expect(lines.join('').replaceAll(' ', '')).toBe(words.join(''))
      }),
    )
  })
})
