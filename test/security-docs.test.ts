import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { ROOT } from './support/npm.ts'

const page = readFileSync(join(ROOT, 'docs/security.md'), 'utf8')

/** The rows of all tables whose last column names tests. */
function promises(text: string): { promise: string; tests: string }[] {
  const tables = text.split(/\n\n+/).filter((block) => /^\|[^\n]*\| Test \|\n/.test(block))
  const rows = tables.flatMap((table) => table.trim().split('\n').slice(2))
  return rows.map((row) => {
    const cells = row.split(' | ')
    return { promise: cells[0] ?? '', tests: cells.at(-1)?.replace(/ \|$/, '') ?? '' }
  })
}

/** A test is its file, and a part of its title. */
function missingTests(tests: string): string[] {
  return tests.split('; ').filter((test) => {
    const [, path = '', title = ''] = /^`([^`]+)`: (.+)$/.exec(test) ?? []
    const file = join(ROOT, path)
    return path === '' || !existsSync(file) || !readFileSync(file, 'utf8').includes(title)
  })
}

describe('docs/security.md', () => {
  const known = promises(page)

  it('has a table for each kind of caller', () => {
    const callers = [...page.matchAll(/^### (.+)$/gm)].map(([, name]) => name)
    expect(callers).toEqual([
      'You',
      'A key without ceilings',
      'A key with ceilings',
      'An agent',
      'A web page',
      'Another user of the machine',
      'The network',
    ])
    expect(known.length).toBeGreaterThan(25)
  })

  it.each(known)('names a test that exists for: $promise', ({ tests }) => {
    expect(missingTests(tests)).toEqual([])
  })

  it('is checked by a reader that notices a test which does not exist', () => {
    expect(missingTests('`test/security-docs.test.ts`: is checked by a reader')).toEqual([])
    expect(missingTests('`test/security-docs.test.ts`: no such title '.concat('at all'))).toHaveLength(1)
    expect(missingTests('`test/nowhere.test.ts`: x; –')).toHaveLength(2)
  })
})
