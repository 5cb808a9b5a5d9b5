import { checker, type Rule, within } from '../kit/schema.ts'
import { destructiveRules } from './destructive.ts'
import type { Outcome } from './outcome.shape.ts'
import type { OutcomeForm } from './outcome-form.shape.ts'
import { validateOutcome, validateOutcomeForm } from './runs.generated.js'

export const outcomeRules: readonly Rule<Outcome>[] = [
  within('pause', [within('destructive_request', destructiveRules)]),
]

/** Checks only which fields there are and of which types. */
export const checkOutcomeForm = checker<OutcomeForm>('outcome', validateOutcomeForm)

export const checkOutcome = checker<Outcome>('outcome', validateOutcome, outcomeRules)
