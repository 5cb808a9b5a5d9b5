import { describe, expect, it } from 'vitest'
import { diffLines } from './diff-lines.ts'

const MARKS = { both: ' ', left: '-', right: '+' }
const shown = (left: string, right: string) => diffLines(left, right)?.map(({ side, text }) => MARKS[side] + text)

describe('diffLines', () => {
  it.each([
    ['a\nb', 'a\nb', [' a', ' b']],
    ['a\nb\nc', 'a\nx\nc', [' a', '-b', '+x', ' c']],
    ['a', 'a\nb', [' a', '+b']],
    ['b\na', 'a', ['-b', ' a']],
  ])('compares %j and %j', (left, right, lines) => {
    expect(shown(left, right)).toEqual(lines)
  })

  it('compares up to 4 million pairs of lines', () => {
    const lines = (count: number) => Array.from({ length: count }, (_, at) => String(at)).join('\n')
    expect(diffLines(lines(2000), lines(2000))).toHaveLength(2000)
    expect(diffLines(lines(2001), lines(2000))).toBeUndefined()
  })
})
