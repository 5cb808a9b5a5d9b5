import { describe, expect, it } from 'vitest'
import { toBarred } from './barred-text.ts'

describe('toBarred', () => {
  it('puts a bar before each row, also of a line that is too wide', () => {
    expect(toBarred('Which unit?\n\nNext:\n  curl one two', 14)).toEqual([
      ...['  | Which', '  | unit?', '  |', '  | Next:', '  |   curl one', '  |   two'],
    ])
  })

  it('breaks earlier where a terminal may take more columns', () => {
    const rows = toBarred(`${'\u0301'.repeat(40)}Next:`, 24)
    expect(rows.map((row) => row.length)).toEqual([14, 14, 14, 14, 9])
  })

  it('keeps words whole where a terminal may take more columns', () => {
    expect(toBarred('one “two” three', 13)).toEqual(['  | one', '  | “two”', '  | three'])
  })

  it('shows nothing for an empty text', () => {
    expect(toBarred('', 80)).toEqual([])
  })
})
