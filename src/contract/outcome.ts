import { checker, type Rule, within } from '../kit/schema.ts'
import { destructiveRules } from './destructive.ts'
import type { Outcome } from './outcome.shape.ts'
import { validateOutcome } from './runs.generated.js'

export const outcomeRules: readonly Rule<Outcome>[] = [
  within('pause', [within('destructive_request', destructiveRules)]),
]

export const checkOutcome = checker<Outcome>('outcome', validateOutcome, outcomeRules)
