/** A few rows of the table of lies and accidents, one of each kind. `npm run faults 'agents lie'` runs all of them. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { catchLie } from '../faults/lies/lie.ts'
import { describeLies, LIES } from '../faults/lies.ts'
import { ROOT } from '../support/npm.ts'
import { temporaryDirectory } from '../support/run-drover.ts'

/** `LIES=all`, or a part of a name. */
const { LIES: wanted } = process.env
const chosen = LIES.filter(({ isInGate, name }) =>
  wanted === undefined ? isInGate === true : wanted === 'all' || name.includes(wanted),
)

describe('a run ends as it must, in which', () => {
  it.each(chosen.map((lie) => [lie.name, lie] as const))('%s', async (_, lie) => {
    await catchLie(temporaryDirectory(), lie)
  })
})

describe('docs/reliability.md', () => {
  it('lists all lies and accidents, each once', () => {
    expect(readFileSync(join(ROOT, 'docs', 'reliability.md'), 'utf8')).toContain(`\n\n${describeLies()}\n\n`)
    const names = LIES.map(({ name }) => name)
    expect(new Set(names).size).toBe(names.length)
  })
})
