/** Lies and accidents with real agents. The model is scripted: test/fake-upstream/scripted.mjs. */
import { describe, it } from 'vitest'
import { catchLieIn } from '../faults/lies/lie.ts'
import { LIES } from '../faults/lies.ts'
import { createRealHome, optionsFor, programOf, REAL_BACKENDS } from '../faults/real-agents.ts'
import { temporaryDirectory } from '../support/run-drover.ts'
import { useUpstream } from './real-agents.ts'

const upstream = useUpstream()
const installed = REAL_BACKENDS.filter((backend) => programOf(backend) !== undefined)
const told = LIES.filter(({ isReal }) => isReal === true)

describe.each(installed)('a run of the real %s ends as it must, in which it', { timeout: 300_000 }, (backend) => {
  it.each(told.map((lie) => [lie.name, lie] as const))('%s', async (_, lie) => {
    const home = createRealHome(temporaryDirectory(), backend, { port: upstream.port(), log: upstream.log() })
    await catchLieIn({ home, options: optionsFor(backend) }, lie)
  })
})
