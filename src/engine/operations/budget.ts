import { LIMITS } from '../../contract/limits.ts'
import { invalidBudget } from '../faults.ts'
import type { EarlyRefusal } from '../next-hint.ts'
import type { Run } from '../state/run.ts'

export const DEFAULT_BUDGET = 8

/** A run without budget gets at least this many actions when it is resumed. */
const MIN_ON_RESUME = 3

/** A text is a number in a spelling that no budget has. */
export function isBudget(count: number | string): count is number {
  return typeof count === 'number' && Number.isInteger(count) && count >= 1 && count <= LIMITS.budget
}

export function checkBudget(count: number | string, refusal: EarlyRefusal = {}): asserts count is number {
  if (!isBudget(count)) throw invalidBudget({ ...refusal, given: count })
}

/** The budget of a resumed run: the requested one, else what is left, else the initial budget. */
export function budgetOnResume(run: Run, asked: number | undefined): number {
  if (asked !== undefined) return asked
  return run.remaining_budget > 0 ? run.remaining_budget : Math.max(run.initial_budget, MIN_ON_RESUME)
}
