import { describe, expect, it } from 'vitest'
import { columnWidth, sideBySide } from './comparison-text.ts'

describe('columnWidth', () => {
  it.each([
    [2, 83, 40],
    [2, 82, undefined],
    [3, 126, 40],
    [3, 125, undefined],
    [2, 200, 98],
    [1, 200, undefined],
    [0, 200, undefined],
  ])('for %i texts in %i columns is %s', (count, width, each) => {
    expect(columnWidth(count, width)).toBe(each)
  })
})

describe('sideBySide', () => {
  it('wraps each text in its column and is as long as the longest', () => {
    expect(sideBySide(['one two three', 'x'], 8)).toEqual(['one two  │ x', 'three    │'])
  })

  it('aligns wide characters', () => {
    expect(sideBySide(['漢', 'a'], 4)).toEqual(['漢   │ a'])
  })
})
