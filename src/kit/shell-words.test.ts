import { execFileSync } from 'node:child_process'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { quoteWord } from './shell-words.ts'

describe('a quoted word', () => {
  it.each([
    ['plain', 'plain'],
    ['--flag=value', '--flag=value'],
    ['=x', "'=x'"],
    ['', "''"],
    ['two words', "'two words'"],
    ["it's", "'it'\\''s'"],
    ['a\nb', "$'a\\nb'"],
    ['~', "'~'"],
  ])('%j is %s', (word, quoted) => {
    expect(quoteWord(word)).toBe(quoted)
  })

  it('is the same word for bash', () => {
    fc.assert(
      fc.property(fc.array(fc.string(), { minLength: 1, maxLength: 20 }), (strings) => {
        const words = strings.map((each) => each.replaceAll('\0', ''))
        const script = words.map((word) => `printf '%s\\0' ${quoteWord(word)}`).join('\n')
        const said = execFileSync('bash', ['--norc', '-c', script], { encoding: 'utf8', env: {} })
        expect(said.split('\0').slice(0, -1)).toEqual(words)
      }),
      { numRuns: 20 },
    )
  })
})
