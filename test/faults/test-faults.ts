/** Causes faults a few times. `npm run faults` causes each of them hundreds of times, also those with `gate: 0`, and prints figures. */

import { describe, expect, it } from 'vitest'
import { READS_ENVIRONMENTS } from '../../src/kit/process/process-tree.ts'
import { IS_FULL } from '../support/full-counts.ts'
import type { Scenario } from './scenario.ts'

const NO_WARM_UPS = 0
const TIMEOUT_MS = 60_000

/** Most scenarios wait for deadlines, so they run at the same time; those that start many processes do not. */
export function testFaults(scenarios: readonly Scenario[], { concurrent = true, isInGate = true } = {}): void {
  describe.runIf(READS_ENVIRONMENTS && (isInGate || IS_FULL))(
    'a server stays healthy, and nothing is left behind, after',
    () => {
      for (const { name, times, obstacle, run } of scenarios.filter((each) => each.times.gate > 0)) {
        it(name, { concurrent, timeout: TIMEOUT_MS, skip: obstacle !== undefined }, async () => {
          expect((await run(times.gate, NO_WARM_UPS)).problems).toEqual([])
        })
      }
    },
  )
}
