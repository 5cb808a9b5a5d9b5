import { expect, it } from 'vitest'
import { NO_USAGE } from '../agents/adapter/token-usage.ts'
import { placeScope, toBudget } from './budget-limit.ts'
import { PromptBudgets } from './prompt-budgets.ts'

it('raises its reservation again by what was used while the store was busy, and stops the agent then', async () => {
  const budget = toBudget('100tokens/day', placeScope({}))
  const busy = Promise.withResolvers<void>()
  const stopped = Promise.withResolvers<void>()
  const raised: (number | undefined)[] = []
  const reservation = {
    amounts: new Map([[budget.id, 10]]),
    raise: async (own: ReadonlyMap<string, number>) => {
      raised.push(own.get(budget.id))
      await busy.promise
      return (own.get(budget.id) ?? 0) >= 100 ? ({ code: 'budget_spent' } as never) : undefined
    },
  }
  const agent = { backend: 'claude', reports: { cost: true, tokens: true, exitCodes: true } }
  const billing = { prices: [], isPlan: false, isDemo: false, agent }
  using budgets = new PromptBudgets([budget], { reservation, billing, backend: 'claude', model: undefined })
  budgets.onSpent(stopped.resolve)
  for (const output_tokens of [9, 20, 60, 104]) budgets.noteUsage({ ...NO_USAGE, output_tokens })
  busy.resolve()
  await stopped.promise
  expect(raised).toEqual([20, 104])
})
