import { describe, expect, it } from 'vitest'
import { dropColumns, formatTable } from './text-table.ts'

describe('formatTable', () => {
  it('makes columns as wide as needed, without trailing spaces', () => {
    const rows = [
      ['ID', 'STATUS', 'TITLE'],
      ['1', 'completed', 'first'],
      ['22', 'error', ''],
    ]
    expect(formatTable(rows, 80)).toEqual(['ID  STATUS     TITLE', '1   completed  first', '22  error'])
  })

  it('shortens the last column to the rest of the width', () => {
    expect(formatTable([['ab', 'a title that is long']], 16)).toEqual(['ab  a title tha…'])
  })

  it('measures wide characters in columns', () => {
    const rows = [
      ['漢字', 'x'],
      ['abcd', 'y'],
    ]
    expect(formatTable(rows, 20)).toEqual(['漢字  x', 'abcd  y'])
  })

  it('keeps a minimum width for the last column', () => {
    expect(formatTable([['abcdefgh', '123456789']], 10)).toEqual(['abcdefgh  1234567…'])
  })

  it('removes line breaks and control characters from cells', () => {
    expect(formatTable([['a\nb', '\u001b[31mc\td']], 40)).toEqual(['a b  [31mc d'])
  })

  it('is empty without rows', () => {
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
  ])('keeps the columns that fit into %i', (width, headings) => {
    const [first] = dropColumns(ROWS, width)
    expect(first).toEqual(headings)
  })

  it('accepts no rows', () => {
    expect(dropColumns([], 10)).toEqual([])
  })
})
