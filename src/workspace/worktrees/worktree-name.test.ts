import { describe, expect, it } from 'vitest'
import { folderFor, toSlug } from './create-worktree.ts'

describe('toSlug', () => {
  it.each([
    ['Show the wind in knots', 'show-the-wind-in-knots'],
    ['  Höhe: 3.5 km/h → Übersicht ', 'hohe-3-5-km-h-ubersicht'],
    ['https://github.com/ada/weather/issues/7', 'https-github-com-ada-weather-issues-7'],
    ['-rf ..//@{u}~^:?*[\\ x.lock', 'rf-u-x-lock'],
    ['風をノットで', 'change'],
    ['', 'change'],
    [`${'a'.repeat(39)} b`, 'a'.repeat(39)],
    [`${'a'.repeat(38)} b c`, `${'a'.repeat(38)}-b`],
    ['a'.repeat(41), 'a'.repeat(40)],
    ['line\nfeed\0nul', 'line-feed-nul'],
  ])('makes %j into %s', (text, slug) => {
    expect(toSlug(text)).toBe(slug)
  })
})

describe('folderFor', () => {
  it.each([
    ['weather', 'weather'],
    ['My.Repo-2', 'My.Repo-2'],
    ['-rf', 'repository'],
    ['.git', 'repository'],
    ['a b', 'repository'],
    ['worktree.json', 'repository'],
    ['a'.repeat(64), 'a'.repeat(64)],
    ['a'.repeat(65), 'repository'],
  ])('makes %j into %s', (name, folder) => {
    expect(folderFor(name)).toBe(folder)
  })
})
