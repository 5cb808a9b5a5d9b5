import { Type } from 'typebox'
import { literals, type Message, named } from '../kit/shape.ts'
import { BUDGET_UNITS } from './budget-limit.ts'

const amount = (description: string) => Type.Number({ minimum: 0, description })

const place = (description: string) => Type.Optional(Type.String({ description }))

const NAME = { name: Type.String({ description: 'What it is for, such as `the key ci`.' }) }

const LIMIT = {
  unit: literals(BUDGET_UNITS, {
    description: 'What is counted: US dollars, tokens, requests, or minutes of agents.',
  }),
  period: literals(['day', 'week', 'month', 'once'], {
    description: 'Periods begin at 00:00 UTC, weeks on Monday.',
  }),
  limit: amount('How much may be used in a period.'),
  used: amount('How much was used in this one.'),
}

const REST = {
  reserved: amount('How much is reserved by prompts that run now.'),
  resets_at: Type.Optional(
    Type.String({ format: 'date-time', description: 'When the next period begins; absent if there is none.' }),
  ),
}

export const RefusingBudget = named(
  'RefusingBudget',
  Type.Object({ ...NAME, ...LIMIT, ...REST }),
  'The budget that has nothing left for a prompt or a run. Absent: it failed, or waits, for another reason.',
)
export type RefusingBudget = Message<typeof RefusingBudget>

export const BudgetList = named(
  'BudgetList',
  Type.Object({
    budgets: Type.Array(
      Type.Object({
        ...NAME,
        key: place('The name of the API key that it is for.'),
        repository: place('The directory that it is for.'),
        label: place('The label that it is for: of issues for which a watcher starts runs.'),
        ...LIMIT,
        estimated: amount(
          'The part of `used` that is not known: what was reserved by prompts whose process died or whose cost is unknown.',
        ),
        ...REST,
      }),
      { description: 'Those that the caller may see, sorted by what they are for.' },
    ),
  }),
  'What was used of each budget.',
)
export type BudgetList = Message<typeof BudgetList>
