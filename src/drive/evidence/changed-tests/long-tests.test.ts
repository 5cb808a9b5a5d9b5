/** Apart from the other tests, because it takes longer. */
import { describe, expect, it } from 'vitest'
import { firstOf } from '../../../../test/support/full-counts.ts'
import { judgeTests } from './judge-test-change.ts'

const SIZE = 100_000
const fill = (piece: string) => piece.repeat(Math.ceil(SIZE / piece.length))

describe('a hostile test of 100,000 characters', () => {
  it.each(
    firstOf(
      [
        ['open brackets', 'expect('],
        ['a long name', 'assert'],
        ['blanks', ' '],
        ['line breaks', '\n'],
        ['quotes', '"'],
        ['backslashes', '"\\'],
        ['assertions', 'expect(a).toBe(1)\n'],
        ['chains', '.toBe'],
        ['returns', 'it(\n  return\n  expect(a)\n'],
        ['calls that fail', 't.Errorf()\n'],
        ['asserts of Python', 'assert a == (\n'],
        ['comments', '/*'],
        ['skips', 'it.skip.'],
      ],
      4,
    ),
  )('of %s is judged in a time that grows with its length', (_name, piece) => {
    for (const path of ['a.test.ts', 'a_test.go', 'test_a.py']) {
      const change = {
        path,
        before: 'it(() => { expect(b).toBe(2) })',
        after: `it(() => { expect(b).toBe(2) })\n${fill(piece)}`,
      }
      expect(judgeTests([change]).length).toBeLessThan(20)
    }
  })
})
