/** Which budgets there are, and what was used of them. */
import type { BudgetStore, KnownBudget } from '../executions/store/budget-store.ts'
import {
  type Budget,
  type BudgetEntry,
  directoryScope,
  distinct,
  EVERYTHING,
  inUnits,
  keyScope,
  toBudget,
} from '../prompts/budget-limit.ts'
import type { BudgetList } from '../prompts/budget-list.shape.ts'
import { type Caller, type ClientKey, visibleKeyId } from '../prompts/caller.ts'

/** A key, and how much its entry allows it. */
export type BudgetKey = ClientKey & { readonly budgets?: readonly string[] | undefined }

type Known = { readonly entries: readonly BudgetEntry[]; readonly keys: readonly BudgetKey[] }

export async function listBudgets(by: Caller, known: Known, store: () => Promise<BudgetStore>): Promise<BudgetList> {
  const budgets = budgetsSeenBy(by, known)
  // Without budgets, no store has to be opened.
  if (budgets.length === 0) return { budgets: [] }
  return { budgets: (await (await store()).list(budgets)).map(toShown) }
}

/** A client sees those of its key. */
function budgetsSeenBy(by: Caller, { entries, keys }: Known): Budget[] {
  const keyId = visibleKeyId(by)
  const seen = keyId === undefined ? keys : keys.filter(({ id }) => id === keyId)
  const ofKeys = seen.flatMap((key) => (key.budgets ?? []).map((limit) => toBudget(limit, keyScope(key))))
  const found = entries.flatMap((entry) => {
    const { limit, key: name, repository } = entry
    if (name !== undefined)
      return seen.filter((key) => name === '*' || key.name === name).map((key) => toBudget(limit, keyScope(key)))
    if (keyId !== undefined) return []
    return [toBudget(limit, repository === undefined ? EVERYTHING : directoryScope(repository))]
  })
  return distinct([...ofKeys, ...found])
}

function toShown({
  name,
  unit,
  period,
  limit,
  used,
  lost,
  reserved,
  resetsAt,
}: KnownBudget): BudgetList['budgets'][number] {
  return {
    ...{ name, unit, period },
    limit: inUnits(limit, unit),
    used: inUnits(used, unit),
    estimated: inUnits(lost, unit),
    reserved: inUnits(reserved, unit),
    ...(resetsAt !== undefined && { resets_at: resetsAt }),
  }
}
