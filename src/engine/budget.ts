import { LIMITS } from '../contract/limits.ts'
import { invalidBudget } from './faults.ts'
import type { EarlyRefusal } from './refusal.ts'
import type { Run } from './run.ts'

export const DEFAULT_BUDGET = 8

/** A run that had spent its budget gets at least this many actions when it goes on. */
const LEAST_ON_RESUME = 3

export function isBudget(count: number): boolean {
  return Number.isInteger(count) && count >= 1 && count <= LIMITS.budget
}

export function checkBudget(count: number, refusal: EarlyRefusal = {}): void {
  if (!isBudget(count)) throw invalidBudget({ ...refusal, given: count })
}

/** What a resumed run has: what was asked for, else what it had left, else as much as at first. */
export function budgetOnResume(run: Run, asked: number | undefined): number {
  if (asked !== undefined) return asked
  return run.remaining_budget > 0 ? run.remaining_budget : Math.max(run.initial_budget, LEAST_ON_RESUME)
}
