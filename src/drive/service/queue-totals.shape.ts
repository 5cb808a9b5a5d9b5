/** What runs that were queued together have used, as it is sent to clients. */
import { Type } from 'typebox'

const count = (description: string) => Type.Integer({ minimum: 0, description })
const money = (description: string) => Type.Number({ minimum: 0, description })

export const GroupTotals = Type.Array(
  Type.Object({
    run_ids: Type.Array(Type.String(), { description: 'The runs in the list that were queued together.' }),
    tokens: count('The tokens that they have used, with all of their rounds.'),
    max_tokens: Type.Optional(count('What they may use together.')),
    cost_usd: money('Their cost, as far as it is known.'),
    max_cost_usd: Type.Optional(money('What they may cost together.')),
  }),
  { description: 'The limits of runs that were queued together. Absent if there is none.' },
)
