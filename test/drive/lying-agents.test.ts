/** Agents that lie, cheat or never end, and accidents: a few rows of the table. `npm run faults agents` runs all of them. */
import { describe, it } from 'vitest'
import { catchLie } from '../faults/lies/lie.ts'
import { LIES } from '../faults/lies.ts'
import { temporaryDirectory } from '../support/run-drover.ts'

const filter = process.env['LIES']
const chosen = LIES.filter(({ isInGate, name }) =>
  filter === undefined ? isInGate : filter === 'all' || name.includes(filter),
)

describe('a run is not believed in which', () => {
  it.each(chosen.map((lie) => [lie.name, lie] as const))('%s', async (_, lie) => {
    await catchLie(temporaryDirectory(), lie)
  })
})
