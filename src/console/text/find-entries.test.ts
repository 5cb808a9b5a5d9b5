import { expect, it } from 'vitest'
import { type Entry, findEntries } from './find-entries.ts'

const entry = (group: Entry['group'], says: string, hint?: string): Entry => ({
  ...{ group, id: says, says, ...(hint !== undefined && { hint }) },
})

const ALL = [
  entry('Commands', 'Board', 'b'),
  entry('Runs', 'Show the wind on the board', 'weather'),
  entry('Runs', 'Show the rain', 'tides'),
  entry('Commands', 'New'),
]

it.each([
  ['', ['Board', 'New', 'Show the wind on the board', 'Show the rain']],
  ['board', ['Board', 'Show the wind on the board']],
  ['SHOW rain', ['Show the rain']],
  ['weather', ['Show the wind on the board']],
  ['fog', []],
])('%j finds %j', (search, expected) => expect(findEntries(ALL, search).map(({ says }) => says)).toEqual(expected))

it('puts what begins with the word first, and shows at most eight of each group', () => {
  const many = Array.from({ length: 9 }, (_, at) => entry('Runs', `Fix the rain ${at}`))
  expect(findEntries([...many, entry('Runs', 'Rain')], 'rain').map(({ says }) => says)).toEqual([
    'Rain',
    ...many.slice(0, 7).map(({ says }) => says),
  ])
})
