import { describe, expect, it } from 'vitest'
import { toJsonText } from './to-json-text.ts'

describe('toJsonText', () => {
  it.each<[string, unknown, string]>([
    ['an ordinary value', { a: [1, null, 'x'], b: undefined }, '{"a":[1,null,"x"]}'],
    [
      'a bigint at any depth',
      { a: [{ b: 2n ** 64n }], c: -(2n ** 53n) },
      '{"a":[{"b":18446744073709551616}],"c":-9007199254740992}',
    ],
    ['half a surrogate pair beside a bigint', ['\ud800', 1n], '["\\ud800",1]'],
  ])('writes %s', (_name, value, text) => {
    expect(toJsonText(value)).toBe(text)
  })

  it('throws for a value that holds itself', () => {
    const value: unknown[] = []
    value.push(value)
    expect(() => toJsonText(value)).toThrow(TypeError)
  })
})
