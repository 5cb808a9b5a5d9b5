/** How much was used, as it is sent to clients. */
import { type TProperties, Type } from 'typebox'
import { type Message, namedObject } from '../../kit/shape.ts'

const count = (description: string) => Type.Integer({ minimum: 0, description })
const date = (description: string) => Type.String({ format: 'date', description })

const AMOUNTS = {
  executions: count('How many executions ended: the sum of the next four.'),
  completed: count('How many completed.'),
  failed: count('How many failed.'),
  cancelled: count('How many were canceled.'),
  lost: count('How many were lost because their process died. What they used is unknown.'),
  input_tokens: count('Tokens that the models read. Claude counts tokens of its cache apart from these.'),
  output_tokens: count('Tokens that the models wrote. Gemini counts thinking apart from these.'),
  cached_tokens: count('Tokens of prompts that came from a cache.'),
  reasoning_tokens: count('Tokens of thinking.'),
  cache_write_tokens: count('Tokens of prompts that were written to a cache.'),
  cost_usd: Type.Optional(
    Type.Number({
      minimum: 0,
      description:
        'The cost that is known: what agents reported, and `priced_usd`. Absent if none is. It misses what the next two count.',
    }),
  ),
  priced_usd: Type.Optional(
    Type.Number({
      minimum: 0,
      description: 'The part of `cost_usd` that no agent reported: tokens at list prices. Absent if there is none.',
    }),
  ),
  plan_executions: count('How many were paid for by a subscription, and have no cost.'),
  unknown_cost_executions: count('How many have a cost that is not known.'),
  duration_ms: count('How long the agents ran, in total.'),
} satisfies TProperties

const UsageAmounts = namedObject('UsageAmounts', AMOUNTS)
export type UsageAmounts = Message<typeof UsageAmounts>

const UsageRow = namedObject('UsageRow', {
  day: Type.Optional(date('The day on which the executions ended, in UTC.')),
  key: Type.Optional(Type.String({ description: 'The name of the API key; empty without a key.' })),
  backend: Type.Optional(Type.String({ description: 'The agent.' })),
  model: Type.Optional(
    Type.String({
      description:
        'The model that the agent reported, otherwise the requested one; empty if neither is known, `demo` for the demo agent.',
    }),
  ),
  ...AMOUNTS,
})
export type UsageRow = Message<typeof UsageRow>

export const UsageReport = namedObject('UsageReport', {
  since: date('The first day.'),
  until: date('The last day.'),
  group_by: Type.Array(Type.Enum(['day', 'key', 'backend', 'model']), {
    description: 'The fields that each row has.',
  }),
  rows: Type.Array(UsageRow, { description: 'Sorted by the fields of `group_by`; the latest day comes first.' }),
  totals: UsageAmounts,
})
export type UsageReport = Message<typeof UsageReport>
