import { describe, expect, it } from 'vitest'
import { MAX_JSON_DEPTH } from '../json-value.ts'
import { parsePlainJson } from './plain-json.ts'

const nested = (depth: number) => '['.repeat(depth) + ']'.repeat(depth)

describe('parsePlainJson', () => {
  it.each([
    ['null', null],
    ['[true, false, -0, 9007199254740991]', [true, false, -0, 9_007_199_254_740_991]],
    ['{"a":{"b":[{}]},"c:d":"e:{[1.5E3"}', { a: { b: [{}] }, 'c:d': 'e:{[1.5E3' }],
    [
      '{"a":"\\":\\\\","b":"a text that is longer than sixteen: \\" and \\\\"}',
      { a: '":\\', b: 'a text that is longer than sixteen: " and \\' },
    ],
    ['[{"a":1},{"a":{"a":1}}]', [{ a: 1 }, { a: { a: 1 } }]],
    ['"\\u00e9"', 'é'],
  ])('reads %s', (text, value) => {
    expect(parsePlainJson(text)).toEqual(value)
  })

  it.each([
    ['wrong syntax', '[1,]'],
    ['an open string', '["a'],
    ['a key given twice', '{"a":1,"b":2,"a":3}'],
    ['a key given twice in different spelling', '[{"a":1,"\\u0061":3}]'],
    ['half a surrogate pair', '"\\ud800"'],
    ['half a surrogate pair in capitals', '{"\\uDC00":1}'],
    ['a fraction', '[1.0]'],
    ['an exponent', '[1e2]'],
    ['an exponent in capitals', '[1E2]'],
    ['an integer past 2^53', '{"a":[9007199254740993]}'],
    ['a negative integer past 2^53', '-9007199254740993'],
  ])('leaves %s to the strict parser', (_what, text) => {
    expect(parsePlainJson(text)).toBeUndefined()
  })

  it('leaves deeper nesting to the strict parser', () => {
    expect(parsePlainJson(nested(MAX_JSON_DEPTH))).toHaveLength(1)
    expect(parsePlainJson(nested(MAX_JSON_DEPTH + 1))).toBeUndefined()
    expect(parsePlainJson(`[${'{"a":[]},'.repeat(MAX_JSON_DEPTH)}1]`)).toHaveLength(MAX_JSON_DEPTH + 1)
  })

  it('ignores inherited members', () => {
    expect(Object.entries(parsePlainJson('{"__proto__":1,"toString":2}') as object)).toEqual([
      ['__proto__', 1],
      ['toString', 2],
    ])
  })
})
