import { expect, it } from 'vitest'
import { fromFolder } from './compare-claims.ts'

const CHANGED = ['web/wind.txt', 'docs/wind.md', 'web/web/a']

it.each([
  ['from the folder', 'web', 'wind.txt', 'web/wind.txt'],
  ['from the root', 'web', 'web/wind.txt', 'web/wind.txt'],
  ['elsewhere in the repository', 'web', 'docs/wind.md', 'docs/wind.md'],
  ['above the folder', 'web', '../docs/wind.md', 'docs/wind.md'],
  ['that git does not show', 'web', 'rain.txt', 'web/rain.txt'],
  ['of a directory', 'web', './docs', './docs'],
  ['that is absolute', 'web', '/r/web/wind.txt', '/r/web/wind.txt'],
  ['without a folder', undefined, 'wind.txt', 'wind.txt'],
])('a path %s is that of git', (_, folder, path, expected) => {
  expect(fromFolder(folder, CHANGED)(path)).toBe(expected)
})
