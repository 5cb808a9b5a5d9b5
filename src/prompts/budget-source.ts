/** How prompts reserve budgets. The prompts half only knows this interface; `executions` implements it. */
import type { Fault } from '../kit/fault.ts'
import type { Budget, BudgetEntry } from './budget-limit.ts'

/** Whose history tells what a prompt may use. */
export type PromptLike = { readonly keyId: string; readonly backend: string; readonly model: string | undefined }

export type Reservation = {
  /** Raises what is reserved to what was used so far, in stored integers by budget. Returns why the prompt must stop, if it must. */
  raise(own: ReadonlyMap<string, number>): Promise<Fault | undefined>
  /** What is reserved, by budget. */
  readonly amounts: ReadonlyMap<string, number>
}

export type BudgetSource = {
  /** The setting `budgets`. */
  readonly entries: readonly BudgetEntry[]
  /** Throws a Fault if a budget has nothing left. */
  reserve(asked: { executionId: string; like: PromptLike; budgets: readonly Budget[] }): Promise<Reservation>
}
