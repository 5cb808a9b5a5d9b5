/** `npm run mutate` takes too long for every change, but what it names must be there. */
import { globSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { GUARDS, patternsOf } from '../scripts/mutate-guards.ts'

/** `{a,b}` would also match if only one of them is there. */
function expand(pattern: string): string[] {
  const [all, names] = /\{([^}]*)\}/.exec(pattern) ?? []
  return all === undefined ? [pattern] : (names?.split(',') ?? []).flatMap((name) => expand(pattern.replace(all, name)))
}

describe.each(GUARDS)('the group $name', (group) => {
  it('has guards that are there', () => {
    // A file that has no such part is an error.
    const files = patternsOf(group).map((pattern) => pattern.replace(/:\d+-\d+$/, ''))
    for (const file of files.flatMap(expand)) expect(globSync(file), file).not.toEqual([])
  })

  it('has tests that are there', () => {
    for (const file of group.tests.flatMap(expand)) expect(globSync(file), file).not.toEqual([])
  })
})

it('a part that is gone is an error, which names the file and the words', () => {
  const file = 'scripts/mutate-guards.ts'
  const missing = ['no such', 'words'].join(' ')
  expect(() => patternsOf({ guards: [{ file, from: missing, to: 'export' }] })).toThrow(
    `${file} has no part from "${missing}" to "export"`,
  )
})
