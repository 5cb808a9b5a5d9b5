import { describe, expect, it } from 'vitest'
import { isSameValue } from './diff-runs.ts'

describe('isSameValue', () => {
  it.each([
    [1, 1, true],
    [1n, 1n, true],
    [1, 1n, false],
    ['a', 'b', false],
    [null, undefined, false],
    [null, {}, false],
    [{}, null, false],
    [{}, [], false],
    [[1, { a: 2 }], [1, { a: 2 }], true],
    [[1, 2], [1], false],
    [[1], [1, 2], false],
    [{ a: 1, b: 2 }, { b: 2, a: 1 }, true],
    [{ a: undefined }, { b: 1 }, false],
    [{ a: 1 }, { a: 1, b: undefined }, false],
  ])('%o and %o: %s', (one, other, expected) => {
    expect(isSameValue(one, other)).toBe(expected)
  })
})
