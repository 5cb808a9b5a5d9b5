import { describe, expect, it } from 'vitest'
import { dropColumns, formatTable } from './text-table.ts'

describe('formatTable', () => {
  it('makes columns as wide as they need to be, and ends no line in spaces', () => {
    const rows = [
      ['ID', 'STATUS', 'TITLE'],
      ['1', 'completed', 'first'],
      ['22', 'error', ''],
    ]
    expect(formatTable(rows, 80)).toEqual(['ID  STATUS     TITLE', '1   completed  first', '22  error'])
  })

  it('cuts the last column to what is left of the width', () => {
    expect(formatTable([['ab', 'a title that is long']], 16)).toEqual(['ab  a title tha…'])
  })

  it('counts wide characters by their columns', () => {
    const rows = [
      ['漢字', 'x'],
      ['abcd', 'y'],
    ]
    expect(formatTable(rows, 20)).toEqual(['漢字  x', 'abcd  y'])
  })

  it('keeps a few columns for the last one, however narrow the terminal', () => {
    expect(formatTable([['abcdefgh', '123456789']], 10)).toEqual(['abcdefgh  1234567…'])
  })

  it('takes line breaks and control characters out of cells', () => {
    expect(formatTable([['a\nb', '\u001b[31mc\td']], 40)).toEqual(['a b  [31mc d'])
  })

  it('is nothing without rows', () => {
    expect(formatTable([], 80)).toEqual([])
  })
})

describe('dropColumns', () => {
  const ROWS = [
    ['ID', 'BACKEND', 'TOKENS', 'TITLE'],
    ['3f2a', 'claude', '34', 'the parser'],
  ]

  it.each([
    [31, ['ID', 'BACKEND', 'TOKENS', 'TITLE']],
    [30, ['ID', 'BACKEND', 'TITLE']],
    [23, ['ID', 'BACKEND', 'TITLE']],
    [22, ['ID', 'TITLE']],
    [1, ['ID', 'TITLE']],
  ])('keeps in %i columns what there is room for', (width, headings) => {
    const [first] = dropColumns(ROWS, width)
    expect(first).toEqual(headings)
  })

  it('leaves nothing as it is', () => {
    expect(dropColumns([], 10)).toEqual([])
  })
})
