import { describe, expect, it } from 'vitest'
import { READS_ENVIRONMENTS } from '../../src/kit/process/process-tree.ts'
import { IS_FULL } from '../support/full-counts.ts'
import { runMixedLoad } from './mixed-load.ts'

describe.runIf(READS_ENVIRONMENTS && IS_FULL)('a short run of npm run soak', () => {
  it('gets the right answers, and the server holds no agent after the idle time', { timeout: 60_000 }, async () => {
    const { wrong, agentsLeft, activeLeft, samples } = await runMixedLoad({ seconds: 3, sampleEverySecs: 1 })
    expect({ wrong, agentsLeft, activeLeft }).toEqual({ wrong: [], agentsLeft: 0, activeLeft: 0 })
    expect(samples).toHaveLength(4)
  })
})
