import { describe, expect, it } from 'vitest'
import { type ItemRow, layOutItems } from './batch-progress.ts'

const ROW: ItemRow = {
  mark: '[1]',
  name: 'a name of several words',
  backend: 'claude',
  time: '1.5 s',
  tokens: '~120 tok',
  activity: 'Bash npm run test -- --watch=false',
}

describe('layOutItems', () => {
  it.each([
    [90, '[1]  a name of several words  claude  1.5 s  ~120 tok  Bash npm run test -- --watch=false'],
    [60, '[1]  a name of seve…  claude  1.5 s  ~120 tok  Bash npm ru…'],
    [51, '[1]  a nam…  claude  1.5 s  ~120 tok  Bash npm ru…'],
    [50, '[1]  a name of se…  1.5 s  ~120 tok  Bash npm ru…'],
    [43, '[1]  a nam…  1.5 s  ~120 tok  Bash npm ru…'],
    [42, '[1]  a name of seve…  1.5 s  Bash npm ru…'],
    [33, '[1]  a nam…  1.5 s  Bash npm ru…'],
    [32, '[1]  1.5 s  Bash npm run test …'],
    [20, '[1]  1.5 s  Bash np…'],
  ])('keeps time and activity in %i columns', (columns, line) => {
    expect(layOutItems([ROW], { columns, rows: 9 })).toEqual([line])
  })

  it('leaves out empty columns', () => {
    const row = { ...ROW, backend: '', tokens: '', activity: 'thinking' }
    expect(layOutItems([row], { columns: 80, rows: 9 })).toEqual(['[1]  a name of several words  1.5 s  thinking'])
  })

  it('says how many items are not shown', () => {
    const rows = ['[1]', '[2]', '[3]'].map((mark) => ({ ...ROW, mark }))
    const marks = (lines: string[]) => lines.map((line) => line.split('  ')[0])
    expect(marks(layOutItems(rows, { columns: 80, rows: 4 }))).toEqual(['[1]', '[2]', '[3]'])
    expect(marks(layOutItems(rows, { columns: 80, rows: 3 }))).toEqual(['[1]', 'and 2 more'])
    expect(marks(layOutItems(rows, { columns: 80, rows: 1 }))).toEqual(['and 3 more'])
  })
})
