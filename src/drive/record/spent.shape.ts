import { Type } from 'typebox'
import { type Message, strict } from '../../kit/shape.ts'

const count = Type.Integer({ minimum: 0 })

/** What was used. Costs are in millionths of a dollar: records have no fractions. */
export const Spent = strict({
  tokens: count,
  cost_microusd: count,
  /** The part of the cost that no agent reported: tokens at list prices. */
  priced_microusd: Type.Optional(count),
  time_ms: count,
})
export type Spent = Message<typeof Spent>

/** Why a run pauses because of what was used. */
export const SPENT_PAUSES = [
  ...(['max_tokens', 'max_cost', 'cost_unknown', 'max_time'] as const),
  ...(['total_tokens', 'total_cost', 'budget_spent'] as const),
] as const
