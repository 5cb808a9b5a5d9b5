import { expect, it } from 'vitest'
import { type TreeEntry, toFileTree } from './file-tree.ts'

const show = (entry: TreeEntry<{ path: string }>): unknown =>
  'entries' in entry ? { [entry.name]: entry.entries.map(show) } : `${entry.at} ${entry.name}`

it('files are in their directories, in their order, and a directory with only one directory is joined with it', () => {
  const paths = ['README.md', 'docs/guide/en/units.md', 'src/cli.ts', 'src/text/a.ts', 'src/text/b.ts', 'src/units.ts']
  expect(toFileTree(paths.map((path) => ({ path }))).map(show)).toEqual([
    '0 README.md',
    { 'docs/guide/en': ['1 units.md'] },
    { src: ['2 cli.ts', { text: ['3 a.ts', '4 b.ts'] }, '5 units.ts'] },
  ])
  expect(toFileTree([])).toEqual([])
})
