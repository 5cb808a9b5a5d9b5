import { writeFileSync } from 'node:fs'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { runsOf } from '../../test/support/full-counts.ts'
import { createRepository } from '../../test/support/temporary-repository.ts'
import { toPathText } from './path-text.ts'

/** What `git` itself does to read a quoted path. */
function unquote(text: string): Buffer {
  if (!text.startsWith('"')) return Buffer.from(text)
  const named: Record<string, string> = { a: '\x07', b: '\b', t: '\t', n: '\n', v: '\v', f: '\f', r: '\r' }
  const bytes = text
    .slice(1, -1)
    .replace(/\\([0-7]{3}|.)/g, (_, code: string) =>
      code.length === 3 ? String.fromCharCode(Number.parseInt(code, 8)) : (named[code] ?? code),
    )
  return Buffer.from(bytes, 'latin1')
}

const anyBytes = fc.uint8Array({ minLength: 1, maxLength: 12 }).map((bytes) => Buffer.from(bytes))
const oddBytes = fc
  .array(fc.constantFrom('"', '\\', '3', '7', 'a', 'n', '\xe9', '\xc3', '\n', ' '), { minLength: 1, maxLength: 8 })
  .map((characters) => Buffer.from(characters.join(''), 'latin1'))

describe('toPathText', () => {
  it.each([
    ['plain', 'src/a.ts', 'src/a.ts'],
    ['spaces and line ends', ' a\tb\n', ' a\tb\n'],
    ['quotes inside', 'a"b\\', 'a"b\\'],
    ['UTF-8', 'f\xc3\xbcr/\xe2\x82\xac', 'für/€'],
    ['a quote at the start', '"a"', '"\\"a\\""'],
    ['Latin-1', 'caf\xe9', '"caf\\351"'],
    ['half a character', 'a\xc3', '"a\\303"'],
    ['UTF-8 beside what is none', '\xc3\xbc\xff', '"\\303\\274\\377"'],
    ['all escapes', '\xff\x07\b\t\n\v\f\r"\\\x01\x7f', '"\\377\\a\\b\\t\\n\\v\\f\\r\\"\\\\\\001\\177"'],
  ])('writes %s', (_what, bytes, text) => {
    expect(toPathText(Buffer.from(bytes, 'latin1'))).toBe(text)
  })

  it('can be read back, so no two paths have the same text', () => {
    fc.assert(
      fc.property(fc.oneof(anyBytes, oddBytes), (bytes) => {
        expect(unquote(toPathText(bytes))).toEqual(bytes)
      }),
      { numRuns: runsOf(2000) },
    )
  })

  it('quotes as git does', () => {
    const { root, git } = createRepository()
    const name = Buffer.from('x\xff\x07\b\t\n\v\f\r"\\\x01\x7f ~\xc3\xbc', 'latin1')
    writeFileSync(Buffer.concat([Buffer.from(`${root}/`), name]), '')
    expect(git('ls-files', '--others')).toBe(`${toPathText(name)}\n`)
  })
})
