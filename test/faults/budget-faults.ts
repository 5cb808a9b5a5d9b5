/** Servers that are killed while prompts spend a budget. */
import { setTimeout as delay } from 'node:timers/promises'
import type { UsageReport } from '../../src/executions/store/usage-report.shape.ts'
import type { BudgetList } from '../../src/prompts/budget-list.shape.ts'
import { ask, promptOf } from './client.ts'
import { type Scenario, serverEnds } from './scenario.ts'
import type { ObservedServer } from './server-home.ts'

const PROMPTS = 6
/** From before the first agent starts until after the last has ended. */
const LONGEST_WAIT_MS = 1500

export const BUDGET_FAULTS: readonly Scenario[] = [
  serverEnds({
    name: 'budgets: SIGKILL at a random moment while prompts spend; what is shown and exported is what was used',
    times: { gate: 1, full: 100 },
    options: {
      script: { text: ['a', 'b', 'c'], chunkMs: 100, usage: { input: 12, output: 3 } },
      budgets: [{ limit: '900Mtokens/once' }, { limit: '900requests/once' }],
      server: { metrics_enabled: true },
    },
    leaves: 'inactive',
    async provoke(home) {
      const server = await home.start()
      const work = Promise.allSettled(
        Array.from({ length: PROMPTS }, () => ask(server, { body: promptOf('claude', 'json') })),
      )
      await delay(Math.random() * LONGEST_WAIT_MS)
      await server.signal('SIGKILL')
      await work
      const next = await home.start()
      await expectSame(next)
      await ask(next, { body: promptOf('claude', 'json') })
      await expectSame(next)
    },
  }),
]

/** Nothing stays reserved. What was used, without what is only estimated, is what the usage has. Metrics are the same. */
async function expectSame(server: ObservedServer): Promise<void> {
  const { budgets } = (await ask(server, { path: '/api/v1/budgets' })).body as BudgetList
  const { totals } = (await ask(server, { path: '/api/v1/usage' })).body as UsageReport
  const tokens = budgets.find(({ unit }) => unit === 'tokens')
  const known = (tokens?.used ?? 0) - (tokens?.estimated ?? 0)
  const used = totals.input_tokens + totals.output_tokens
  const held = budgets.filter(({ reserved }) => reserved !== 0)
  if (held.length > 0) throw new Error(`still reserved: ${JSON.stringify(held)}`)
  if (known !== used) throw new Error(`the budget has ${known} tokens, the usage ${used}`)
  const metrics = await (await fetch(`http://127.0.0.1:${server.port}/metrics`)).text()
  for (const { unit, used: shown } of budgets) {
    const line = `drover_budget{budget="all prompts",unit="${unit}",period="once",amount="used"} ${shown}\n`
    if (!metrics.includes(line)) throw new Error(`the metrics do not have ${line}`)
  }
}
