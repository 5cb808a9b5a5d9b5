import { defineFault } from '../kit/fault.ts'
import type { BudgetPeriod, BudgetUnit } from './budget-limit.ts'
import type { RefusingBudget } from './budget-list.shape.ts'

/** What a client learns about a budget that refuses its prompt. Amounts are in the unit of the budget. */
export type BudgetRefusal = {
  /** What it is for. */
  name: string
  unit: BudgetUnit
  period: BudgetPeriod
  limit: number
  used: number
  /** By prompts that run now. */
  reserved: number
  resetsAt: string | undefined
  retryAfterSecs: number | undefined
}

/** The same for results and records. */
export function toRefusingBudget({ resetsAt, retryAfterSecs: _, ...figures }: BudgetRefusal): RefusingBudget {
  return { ...figures, ...(resetsAt !== undefined && { resets_at: resetsAt }) }
}

/** `the budget of $20.00 per day for the key ci` */
export const nameBudget = (d: Pick<BudgetRefusal, 'name' | 'unit' | 'period' | 'limit'>) =>
  `the budget of ${formatLimit(d)} for ${d.name}`

const reset = ({ resetsAt }: BudgetRefusal) =>
  resetsAt === undefined ? 'it does not reset; ask for a higher limit' : `it resets at ${resetsAt}`

export const budgetSpent = defineFault('budget_spent', 'rate_limited', {
  when: 'A budget has nothing left, and resets in more than an hour or never. No agent was started, or it was stopped. `drover budgets` shows all of them.',
  message: (d: BudgetRefusal) => `${nameBudget(d)} is spent: ${formatAmount(d.used, d.unit)} used; ${reset(d)}`,
})

export const budgetFull = defineFault('budget_full', 'rate_limited', {
  when: 'A budget has nothing left, but resets within an hour; or prompts that run now hold the rest of it. No agent was started.',
  message: (d: BudgetRefusal) =>
    `${nameBudget(d)} has nothing left: ${formatAmount(d.used, d.unit)} used, ${formatAmount(d.reserved, d.unit)} reserved by what runs; try again later (${reset(d)})`,
})

export function isBudget(code: string | undefined): code is 'budget_spent' | 'budget_full' {
  return code === budgetSpent.code || code === budgetFull.code
}

export const budgetUnmeasured = defineFault('budget_unmeasured', 'invalid', {
  when: 'A budget in dollars or tokens applies to a prompt, and its agent does not report what counts for it, or its model has no price.',
  message: (d: { name: string; unit: BudgetUnit; backend: string }) =>
    d.unit === 'usd'
      ? `${d.name} has a budget in dollars, and what ${d.backend} costs is not known; add its model to "prices" in the settings, set backends.${d.backend}.plan, or use another agent`
      : `${d.name} has a budget in tokens, and ${d.backend} does not report all of its tokens; use another agent, or a budget in requests or minutes`,
})

/** Amounts and limits of budgets, as people read them. `$4.27`, `$0.0031`, `1 request`, `2,000,000 tokens` */
export function formatAmount(value: number, unit: BudgetUnit): string {
  if (unit === 'usd') return `$${value.toFixed(value > 0 && value < 0.1 ? 4 : 2)}`
  const shown = Number(value.toFixed(2))
  return `${shown.toLocaleString('en-US')} ${shown === 1 ? unit.slice(0, -1) : unit}`
}

/** `$20.00 per day`, `1 request in total` */
export function formatLimit({ limit, unit, period }: { limit: number; unit: BudgetUnit; period: string }): string {
  return `${formatAmount(limit, unit)} ${period === 'once' ? 'in total' : `per ${period}`}`
}
