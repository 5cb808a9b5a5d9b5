/** Every fault a few times, with every test run. `npm run faults` brings them about by the hundred and prints figures. */
import { describe, expect, it } from 'vitest'
import { READS_ENVIRONMENTS } from '../../src/kit/process/process-tree.ts'
import type { Scenario } from './scenario.ts'

const NO_WARM_UPS = 0
/** They wait for deadlines more than they work, and so run side by side. */
const SIDE_BY_SIDE = { concurrent: true, timeout: 60_000 }

export function testFaults(scenarios: readonly Scenario[]): void {
  describe.skipIf(!READS_ENVIRONMENTS)('a server stays sound, and nothing is left behind, after', () => {
    for (const { name, times, obstacle, run } of scenarios) {
      it(name, { ...SIDE_BY_SIDE, skip: obstacle !== undefined }, async () => {
        expect((await run(times.gate, NO_WARM_UPS)).problems).toEqual([])
      })
    }
  })
}
