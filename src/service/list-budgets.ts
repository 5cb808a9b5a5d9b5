/** Which budgets there are, and what was used of them. */
import type { Config } from '../config/config.shape.ts'
import { keyIdOf } from '../config/key-ring.ts'
import type { BudgetStore, KnownBudget } from '../executions/store/budget-store.ts'
import {
  type Budget,
  type BudgetEntry,
  distinct,
  inUnits,
  keyScope,
  placeScope,
  toBudget,
} from '../prompts/budget-limit.ts'
import type { BudgetList } from '../prompts/budget-list.shape.ts'
import { type Caller, type ClientKey, visibleKeyId } from '../prompts/caller.ts'

/** A key, and how much its entry allows it. */
export type BudgetKey = ClientKey & { readonly budgets?: readonly string[] | undefined }

/** Those of the settings that are valid. */
export function keysOf({ server }: Pick<Config, 'server'>, now: Date): BudgetKey[] {
  return server.keys
    .filter(({ expires_at: expires }) => expires === undefined || now < new Date(expires))
    .map(({ id, sha256, name, budgets }) => ({ id: id ?? keyIdOf(sha256), name, budgets }))
}

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
    const { limit, key: name } = entry
    if (name !== undefined)
      return seen.filter((key) => name === '*' || key.name === name).map((key) => toBudget(limit, keyScope(key)))
    return keyId === undefined ? [toBudget(limit, placeScope(entry))] : []
  })
  return distinct([...ofKeys, ...found])
}

function toShown(known: KnownBudget): BudgetList['budgets'][number] {
  const { name, place, unit, period, limit, used, lost, reserved, resetsAt } = known
  return {
    ...{ name, ...place, unit, period },
    limit: inUnits(limit, unit),
    used: inUnits(used, unit),
    estimated: inUnits(lost, unit),
    reserved: inUnits(reserved, unit),
    ...(resetsAt !== undefined && { resets_at: resetsAt }),
  }
}
