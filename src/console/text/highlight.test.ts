import { describe, expect, it } from 'vitest'
import { highlight, highlightDiff } from './highlight.ts'

const coloured = (code: string, language: string) =>
  highlight(code, language)
    .filter(({ kind }) => kind !== 'plain')
    .map(({ kind, text }) => [kind, text])

describe('highlight', () => {
  it.each([
    [
      'ts',
      "const a = 'b' // c",
      [
        ['keyword', 'const'],
        ['string', "'b'"],
        ['comment', '// c'],
      ],
    ], // prettier
    [
      'py',
      'x = 12 # n',
      [
        ['number', '12'],
        ['comment', '# n'],
      ],
    ],
    [
      'sql',
      "SELECT 'a' -- b",
      [
        ['string', "'a'"],
        ['comment', '-- b'],
      ],
    ],
    [
      'diff',
      '+a\n-b\n@@ c',
      [
        ['added', '+a\n'],
        ['removed', '-b\n'],
        ['comment', '@@ c'],
      ],
    ],
    ['', 'const a = 1', []],
    ['text', 'const a = 1', []],
  ])('colours %s', (language, code, tokens) => {
    expect(coloured(code, language)).toEqual(tokens)
  })

  it('loses nothing', () => {
    const code = 'if (a < "b\\"c") { /* d\n */ return `x${y}` }\n'
    const joined = highlight(code, 'ts').map(({ text }) => text)
    expect(joined.join('')).toBe(code)
  })

  it('does not take the names of files for changes', () => {
    expect(highlightDiff('--- a/x\n+++ b/x\n').map(({ kind }) => kind)).toEqual(['comment', 'comment'])
  })
})
