/** Budgets: what they limit, and in which period. Pure. */

export const BUDGET_UNITS = ['usd', 'tokens', 'requests', 'minutes'] as const
export type BudgetUnit = (typeof BUDGET_UNITS)[number]
export type BudgetPeriod = 'day' | 'week' | 'month' | 'once'

/** How much of one unit may be used in each period. */
export type BudgetLimit = { readonly unit: BudgetUnit; readonly period: BudgetPeriod; readonly limit: number }

/** A budget that applies to a prompt. */
export type Budget = BudgetLimit & {
  /** What it is for, with its unit and period: another limit keeps what was used. */
  readonly id: string
  /** What it is for, as people say it. */
  readonly name: string
  readonly place: BudgetPlace
}

/** What a budget is for: at most one of these. With none, it is for everything. */
export type BudgetPlace = {
  readonly key?: string
  readonly repository?: string
  readonly label?: string
}

/** An entry of the setting `budgets`. */
export type BudgetEntry = BudgetPlace & { readonly limit: string }

/** Whose prompt it is, and what it is for. */
export type BudgetSubject = {
  readonly key: { readonly id: string; readonly name: string } | undefined
  /** Budgets of the entry of the key, such as `20usd/day`. */
  readonly ofKey: readonly string[]
  /** Whether the repository of a driven run, or the working directory, is in this directory. */
  readonly isIn: (directory: string) => boolean
  /** Of the issue for which a watcher has started the run. */
  readonly label: string | undefined
}

/** The integers that are stored for one of a unit: millionths of a dollar, and milliseconds. */
const SCALE: Readonly<Record<BudgetUnit, number>> = { usd: 1_000_000, tokens: 1, requests: 1, minutes: 60_000 }

const PARTS = /^([0-9.]+)([kM]?)(usd|tokens|requests|minutes)\/(day|week|month|once)$/
const FACTORS: Readonly<Record<string, number>> = { '': 1, k: 1000, M: 1_000_000 }

/** Reads a limit such as `20usd/day`, which the settings have checked. `limit` is in stored integers. */
export function parseLimit(text: string): BudgetLimit {
  const [, number = '', factor = '', unit = 'requests', period = 'day'] = PARTS.exec(text) ?? []
  const known = unit as BudgetUnit
  const limit = Math.round(Number(number) * (FACTORS[factor] ?? 1) * SCALE[known])
  return { unit: known, period: period as BudgetPeriod, limit: Math.min(limit, Number.MAX_SAFE_INTEGER) }
}

/** Stored integers in the unit of the budget. */
export function inUnits(amount: number, unit: BudgetUnit): number {
  return amount / SCALE[unit]
}

export function toStored(amount: number, unit: BudgetUnit): number {
  return Math.min(Math.max(0, Math.round(amount * SCALE[unit])), Number.MAX_SAFE_INTEGER)
}

/** All budgets that a prompt must fit into, in the order in which they are locked. */
export function budgetsFor(entries: readonly BudgetEntry[], subject: BudgetSubject): Budget[] {
  const { key, ofKey } = subject
  const own = key === undefined ? [] : ofKey.map((limit) => toBudget(limit, keyScope(key)))
  const found = entries.flatMap((entry) => {
    const scope = scopeOf(entry, subject)
    return scope === undefined ? [] : [toBudget(entry.limit, scope)]
  })
  return distinct([...own, ...found])
}

/** Of two limits for the same thing, the smaller one counts. */
export function distinct(budgets: readonly Budget[]): Budget[] {
  const smallest = new Map<string, Budget>()
  for (const budget of budgets) {
    const other = smallest.get(budget.id)
    if (other === undefined || budget.limit < other.limit) smallest.set(budget.id, budget)
  }
  return [...smallest.values()].sort((one, other) => (one.id < other.id ? -1 : 1))
}

type Scope = Pick<Budget, 'id' | 'name' | 'place'>

export function keyScope({ id, name }: { id: string; name: string }): Scope {
  return { id: `key:${id}`, name: `the key ${name}`, place: { key: name } }
}

/** What an entry without a key is for. GitHub does not distinguish the case of labels. */
export function placeScope({ repository, label }: BudgetPlace): Scope {
  if (label !== undefined) return { id: `label:${label.toLowerCase()}`, name: `the label ${label}`, place: { label } }
  if (repository === undefined) return { id: 'all', name: 'all prompts', place: {} }
  const directory = withoutSlash(repository)
  return { id: `repository:${directory}`, name: `the repository ${directory}`, place: { repository: directory } }
}

/** Undefined if the place is another one. `key: '*'` gives every key a separate budget. */
export function scopeOf(place: BudgetPlace, { key, isIn, label: own }: BudgetSubject): Scope | undefined {
  const { key: wanted, repository, label } = place
  if (wanted !== undefined)
    return key !== undefined && (wanted === '*' || wanted === key.name) ? keyScope(key) : undefined
  if (repository !== undefined && !isIn(repository)) return undefined
  if (label !== undefined && label.toLowerCase() !== own?.toLowerCase()) return undefined
  return placeScope(place)
}

function withoutSlash(path: string): string {
  return path.replace(/(?<=.)\/+$/, '')
}

export function toBudget(text: string, { id, name, place }: Scope): Budget {
  const limit = parseLimit(text)
  return { ...limit, id: `${id} ${limit.unit}/${limit.period}`, name, place }
}

/** `start` names the period. All begin at 00:00 UTC, weeks on Monday. */
export type PeriodTimes = { readonly start: string; readonly resetsAt: string | undefined }

const DAY_MS = 24 * 3600 * 1000
const DAYS_AFTER_MONDAY = [6, 0, 1, 2, 3, 4, 5] as const

export function periodAt(period: BudgetPeriod, now: Date): PeriodTimes {
  const [year, month, day] = [now.getUTCFullYear(), now.getUTCMonth(), now.getUTCDate()]
  const today = Date.UTC(year, month, day)
  switch (period) {
    case 'day':
      return between(today, today + DAY_MS)
    case 'week': {
      const monday = today - (DAYS_AFTER_MONDAY[now.getUTCDay()] ?? 0) * DAY_MS
      return between(monday, monday + 7 * DAY_MS)
    }
    case 'month':
      return between(Date.UTC(year, month, 1), Date.UTC(year, month + 1, 1))
    case 'once':
      return { start: 'once', resetsAt: undefined }
  }
}

function between(start: number, end: number): PeriodTimes {
  const text = (ms: number) => `${new Date(ms).toISOString().slice(0, 19)}Z`
  return { start: text(start), resetsAt: text(end) }
}
