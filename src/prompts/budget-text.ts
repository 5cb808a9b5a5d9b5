/** Amounts and limits of budgets, as people read them. Pure. */
import type { BudgetUnit } from './budget-limit.ts'

/** `$4.27`, `$0.0031`, `1 request`, `2,000,000 tokens` */
export function formatAmount(value: number, unit: BudgetUnit): string {
  if (unit === 'usd') return `$${value.toFixed(value > 0 && value < 0.1 ? 4 : 2)}`
  const shown = Number(value.toFixed(2))
  return `${shown.toLocaleString('en-US')} ${shown === 1 ? unit.slice(0, -1) : unit}`
}

/** `$20.00 per day`, `1 request in total` */
export function formatLimit({ limit, unit, period }: { limit: number; unit: BudgetUnit; period: string }): string {
  return `${formatAmount(limit, unit)} ${period === 'once' ? 'in total' : `per ${period}`}`
}
