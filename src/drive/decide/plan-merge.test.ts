import { expect, it } from 'vitest'
import { planMerge } from './plan-merge.ts'

it.each([
  [
    { isContained: true, isAhead: false },
    { how: 'by_hand', needsChecks: false },
  ],
  [
    { isContained: true, isAhead: true },
    { how: 'by_hand', needsChecks: false },
  ],
  [
    { isContained: false, isAhead: true },
    { how: 'fast_forward', needsChecks: false },
  ],
  [
    { isContained: false, isAhead: false },
    { how: 'merge_commit', needsChecks: true },
  ],
])('a merge with %j is done with %j', (facts, plan) => {
  expect(planMerge(facts)).toEqual(plan)
})
