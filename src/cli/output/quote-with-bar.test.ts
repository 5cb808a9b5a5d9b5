import { describe, expect, it } from 'vitest'
import { quoteWithBar } from './wrap-words.ts'

describe('quoteWithBar', () => {
  it('puts a bar before each row, also of a line that is too wide', () => {
    expect(quoteWithBar('Which unit?\n\nNext:\n  curl one two', 14)).toEqual([
      ...['  | Which', '  | unit?', '  |', '  | Next:', '  |   curl one', '  |   two'],
    ])
  })

  it('breaks earlier where a terminal may take more columns', () => {
    const rows = quoteWithBar(`${'\u0301'.repeat(40)}Next:`, 24)
    expect(rows.map((row) => row.length)).toEqual([14, 14, 14, 14, 9])
  })

  it('keeps words whole where a terminal may take more columns', () => {
    expect(quoteWithBar('one “two” three', 13)).toEqual(['  | one', '  | “two”', '  | three'])
  })

  it('shows nothing for an empty text', () => {
    expect(quoteWithBar('', 80)).toEqual([])
  })
})
