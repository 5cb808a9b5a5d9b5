/** Whether a budget keeps a watcher from taking issues. */
import { budgetSpent } from '../../prompts/budget-faults.ts'
import { scopeOf } from '../../prompts/budget-limit.ts'
import type { BudgetList } from '../../prompts/budget-list.shape.ts'
import { isInDirectory } from '../../prompts/workdir-policy.ts'
import type { WatchRecord } from '../record/watch-record.shape.ts'

type Watched = { readonly label: string; readonly budgetDirectory: string }

/** Why its runs would be refused; undefined if they would not. A budget that only what runs now holds is waited for by runs. */
export function findSpent(
  budgets: BudgetList['budgets'],
  { label, budgetDirectory }: Watched,
): WatchRecord['problem'] | undefined {
  const isIn = (outer: string) => isInDirectory(budgetDirectory, outer)
  const subject = { key: undefined, ofKey: [], isIn, label }
  const spent = budgets.find((each) => each.used >= each.limit && scopeOf(each, subject) !== undefined)
  if (spent === undefined) return undefined
  const { code, message } = budgetSpent({ ...spent, resetsAt: spent.resets_at, retryAfterSecs: undefined })
  return { code, message: `no issue is taken: ${message}` }
}
