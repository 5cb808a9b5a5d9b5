import { describe, expect, it } from 'vitest'
import { parseYaml, toTree } from './read-yaml.ts'

describe('parseYaml', () => {
  it('reads plain values', () => {
    const { document, problems } = parseYaml('a: [1, true, null, "x", 0o17, 2026-01-31]\n')
    expect(problems).toEqual([])
    expect(toTree(document)).toEqual({ tree: { a: [1, true, null, 'x', 15, '2026-01-31'] } })
  })

  it('reads an empty text as null', () => {
    expect(toTree(parseYaml('# only a comment\n').document)).toEqual({ tree: null })
  })

  it.each([
    ['a duplicate key', 'a: 1\na: 2\n', 'the same key appears twice; remove one', 2],
    ['a second document', 'a: 1\n---\nb: 2\n', 'a second document starts here; the file must contain one', 2],
    ['a key that is not text', '? [1]\n: a\n', 'a key must be text', 1],
    ['a tab', 'a:\n\tb: 1\n', 'a tab cannot indent; use spaces', 2],
    ['a tag', 'a: !!binary aGk=\n', 'tags (!) are not supported; write a plain value', 1],
    ['an open bracket', 'a: [1\n', 'the file is not valid YAML: ', 2],
  ])('refuses %s, and reports its line', (_name, text, rule, line) => {
    const { problems, placeOf } = parseYaml(text)
    expect(problems[0]?.rule).toContain(rule)
    expect(placeOf(problems[0]?.offset ?? 0).line).toBe(line)
  })
})

describe('toTree', () => {
  it('expands aliases', () => {
    expect(toTree(parseYaml('a: &x [1]\nb: *x\n').document)).toEqual({ tree: { a: [1], b: [1] } })
  })

  it('refuses aliases that multiply, or have no anchor', () => {
    const bomb = [
      'a: &a [x, x]',
      ...[...'bcdefgh'].map((name, at) => `${name}: &${name} [*${'abcdefgh'[at]}, *${'abcdefgh'[at]}]`),
    ]
    expect(toTree(parseYaml(`${bomb.join('\n')}\n`).document)).toEqual({ rule: 'aliases (*) multiply beyond 100' })
    expect(toTree(parseYaml('a: *x\n').document)).toEqual({ rule: 'an alias (*) has no anchor (&) before it' })
  })
})
