import { writeFileSync } from 'node:fs'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { runsOf } from '../../test/support/full-counts.ts'
import { createRepository } from '../../test/support/temporary-repository.ts'
import { compareBytes } from '../kit/utf8.ts'
import { parseStatus, toPathText } from './worktree-status.ts'

const ORDINARY = 'N... 100644 100644 100644 1111111 2222222'
const UNMERGED = 'N... 100644 100644 100644 100644 1111111 2222222 3333333'

const parse = (...records: string[]) => parseStatus(Buffer.from(records.map((each) => `${each}\0`).join(''), 'latin1'))
const entry = (path: string, category: string, state: string) => ({ path, bytes: path, category, state })

describe('parseStatus', () => {
  it.each([
    ['nothing', [], []],
    ['a change', [`1 .M ${ORDINARY} a`], [entry('a', 'ordinary', '.M')]],
    ['a path with spaces', [`1 A. ${ORDINARY}  a  b `], [entry(' a  b ', 'ordinary', 'A.')]],
    [
      'a rename and its origin',
      [`2 R. ${ORDINARY} R100 new name`, 'old name'],
      [entry('new name', 'rename', 'R. R100'), entry('old name', 'rename_origin', 'R. R100')],
    ],
    [
      'a copy and its origin',
      [`2 C. ${ORDINARY} C75 b`, 'a'],
      [entry('a', 'copy_origin', 'C. C75'), entry('b', 'copy', 'C. C75')],
    ],
    ['a conflict', [`u UU ${UNMERGED} a b`], [entry('a b', 'unmerged', 'UU')]],
    ['an untracked file', ['? a b'], [entry('a b', 'untracked', '??')]],
    ['a nested repository', ['? inner/'], [entry('inner/', 'untracked', '??')]],
    ['no ignored file', ['! a'], []],
    ['no header', ['# stash 3', '# branch.head main'], []],
    [
      'an origin that looks like a record',
      [`2 R. ${ORDINARY} R100 b`, '? a'],
      [entry('? a', 'rename_origin', 'R. R100'), entry('b', 'rename', 'R. R100')],
    ],
    [
      'names with dots',
      ['? ..a', '? b/...', '? c..'],
      [entry('..a', 'untracked', '??'), entry('b/...', 'untracked', '??'), entry('c..', 'untracked', '??')],
    ],
  ])('reads %s', (_what, records, expected) => {
    expect(parse(...records)).toEqual(expected)
  })

  it('merges two records of one path, each value once and in order', () => {
    expect(parse(`2 C. ${ORDINARY} C75 c`, 'a', `2 C. ${ORDINARY} C60 b`, 'a', `1 .M ${ORDINARY} a`)).toEqual([
      entry('a', 'copy_origin,ordinary', '.M,C. C60,C. C75'),
      entry('b', 'copy', 'C. C60'),
      entry('c', 'copy', 'C. C75'),
    ])
    expect(parse(`2 R. ${ORDINARY} R100 b`, 'a', '? a')[0]).toEqual(entry('a', 'rename_origin,untracked', '??,R. R100'))
  })

  it('sorts by the bytes of the texts, not by UTF-16', () => {
    const texts = ['\uff5e', '😀', 'a', 'B', 'a/b', 'a.b']
    const output = Buffer.from(texts.map((text) => `? ${text}\0`).join(''))
    expect(parseStatus(output).map(({ path }) => path)).toEqual(['B', 'a', 'a.b', 'a/b', '\uff5e', '😀'])
  })

  it('escapes a path that is not UTF-8 and keeps its bytes', () => {
    expect(parse('? caf\xe9')).toEqual([{ ...entry('"caf\\351"', 'untracked', '??'), bytes: 'caf\xe9' }])
  })

  it.each([
    ['a record without an end', () => parseStatus(Buffer.from('? a')), 'its last record has no end'],
    ['an unknown kind', () => parse('x a'), 'a record of an unknown kind: "x a"'],
    ['an empty record', () => parse(''), 'a record of an unknown kind: ""'],
    ['a kind without a space', () => parse('?a'), 'a record of an unknown kind: "?a"'],
    ['too few fields', () => parse(`1 .M ${ORDINARY}`), 'a record has 8 fields instead of 9'],
    ['too few fields of a rename', () => parse(`2 R. ${ORDINARY} R100`, 'a'), 'a record has 9 fields instead of 10'],
    ['too few fields of a conflict', () => parse(`u UU ${UNMERGED}`), 'a record has 10 fields instead of 11'],
    ['a strange state', () => parse(`1 .m ${ORDINARY} a`), '".m" is not a state'],
    ['a strange score', () => parse(`2 R. ${ORDINARY} X100 b`, 'a'), '"X100" is not the score of a rename or copy'],
    ['a rename without origin', () => parse(`2 R. ${ORDINARY} R100 b`), 'a renamed path lacks its origin'],
    ['an empty path', () => parse('? '), '"" is not a path inside the worktree'],
    ['an absolute path', () => parse('? /a'), '"/a" is not a path inside the worktree'],
    ['the folder above', () => parse('? ..'), '".." is not a path inside the worktree'],
    ['a path that leaves the worktree', () => parse('? a/../../b'), '"a/../../b" is not a path inside the worktree'],
    [
      'a path that leaves the worktree at its end',
      () => parse(`1 .M ${ORDINARY} a/..`),
      '"a/.." is not a path inside the worktree',
    ],
    [
      'an origin that leaves the worktree',
      () => parse(`2 R. ${ORDINARY} R100 b`, '../a'),
      '"../a" is not a path inside',
    ],
  ])('refuses %s', (_what, read, problem) => {
    expect(read).toThrow(expect.objectContaining({ code: 'git_failed', message: expect.stringContaining(problem) }))
  })

  const name = fc
    .uint8Array({ minLength: 1, maxLength: 10 })
    .map((bytes) => Buffer.from(bytes).toString('latin1').replaceAll('\0', ' '))
    .filter((text) => !text.startsWith('/') && !text.split('/').includes('..'))
  const state = fc.constantFrom('.M', 'M.', 'MM', 'A.', '.D', 'D.', '.T', 'AM')
  const record = fc.oneof(
    fc
      .record({ path: name, state })
      .map((e) => ({ ...e, category: 'ordinary', text: `1 ${e.state} ${ORDINARY} ${e.path}\0` })),
    fc.record({ path: name }).map((e) => ({ ...e, category: 'untracked', state: '??', text: `? ${e.path}\0` })),
    fc
      .record({ path: name })
      .map((e) => ({ ...e, category: 'unmerged', state: 'UU', text: `u UU ${UNMERGED} ${e.path}\0` })),
  )

  it('returns every written path once and in order, whatever its bytes', () => {
    fc.assert(
      fc.property(fc.uniqueArray(record, { selector: ({ path }) => path }), (records) => {
        const parsed = parseStatus(Buffer.from(records.map(({ text }) => text).join(''), 'latin1'))
        const byBytes = new Map(parsed.map((each) => [each.bytes, each]))
        expect(parsed.length).toBe(records.length)
        for (const { path, category, state } of records) expect(byBytes.get(path)).toMatchObject({ category, state })
        const texts = parsed.map(({ path }) => path)
        expect(new Set(texts).size).toBe(texts.length)
        expect(texts).toEqual(texts.toSorted(compareBytes))
      }),
    )
  })

  it('returns paths or throws a fault for any bytes, and never crashes', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 60 }), (bytes) => {
        try {
          parseStatus(Buffer.from(bytes))
        } catch (error) {
          expect(error).toMatchObject({ code: 'git_failed' })
        }
      }),
    )
  })
})

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
