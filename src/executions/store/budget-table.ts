/** Reserves budgets and settles them, in transactions. `budgets` has what was used in each period, `budget_reservations` what runs. */
import type { Fault } from '../../kit/fault.ts'
import { type Budget, periodAt } from '../../prompts/budget-limit.ts'
import {
  averageOf,
  type BudgetDecision,
  type BudgetState,
  type Charge,
  chargeFor,
  decideReservation,
  type History,
  isOver,
  type PastPrompts,
  type PromptLike,
  toRefusal,
} from '../../prompts/decide-budget.ts'
import { countTokens } from '../../prompts/tokens.ts'
import { all, get, type Row, type Steps } from '../../store/sql.ts'
import type { Execution } from './execution.shape.ts'
import { DEMO_MODEL } from './usage-entry.ts'
import { dayBefore } from './usage-query.ts'

export type Reserving = { executionId: string; owner: string; like: PromptLike; budgets: readonly Budget[]; now: Date }

type Spending = Pick<Reserving, 'like' | 'budgets' | 'now'>

/** What needs no lock: whether a budget is spent, for what was used never becomes less, and what prompts like this one use. */
export function* look({ like, budgets, now }: Spending): Steps<{ refusal: Fault } | { history: History }> {
  for (const budget of budgets) {
    const times = periodAt(budget.period, now)
    const { used, reserved } = yield* readBudget(budget.id, times.start)
    if (used >= budget.limit) return { refusal: toRefusal({ ...budget, ...times, used, reserved }, now) }
  }
  return { history: yield* readHistory(like, now) }
}

/** The rows of all budgets are locked in one order, so that two prompts wait for each other and never both start. */
export function* reserve(
  { executionId, owner, budgets, now }: Reserving,
  history: History,
): Steps<BudgetDecision & { states: BudgetState[] }> {
  const states: BudgetState[] = []
  for (const budget of budgets) {
    const times = periodAt(budget.period, now)
    const add = 'INSERT INTO budgets (budget, period, used, lost) VALUES (?, ?, 0, 0) ON CONFLICT DO NOTHING'
    yield* all(add, budget.id, times.start)
    states.push(yield* lock({ ...budget, ...times }, executionId))
  }
  const decision = decideReservation(states, history, now)
  if ('refusal' in decision) return { ...decision, states }
  // An agent that answers in place of another one keeps what was reserved for that.
  const add = `INSERT INTO budget_reservations (execution_id, budget, period, owner, amount) VALUES (?, ?, ?, ?, ?)
    ON CONFLICT (execution_id, budget) DO UPDATE SET amount = ${GREATER}`
  for (const { id, start } of states) yield* all(add, executionId, id, start, owner, decision.amounts.get(id) ?? 0)
  return { ...decision, states }
}

/** A sum of integers may be too large to be read. Damaged rows must not make room. */
const SUM = 'sum(CASE WHEN amount > 0 THEN CAST(amount AS DOUBLE PRECISION) ELSE 0 END)'

const GREATER =
  'CASE WHEN excluded.amount > budget_reservations.amount THEN excluded.amount ELSE budget_reservations.amount END'

type Raising = { executionId: string; states: readonly BudgetState[]; own: ReadonlyMap<string, number>; now: Date }

/** Raises reservations to what a prompt has used so far. Returns why it must stop, if nothing is left. */
export function* raise({ executionId, states, own, now }: Raising): Steps<Fault | undefined> {
  let refusal: Fault | undefined
  for (const known of states) {
    const amount = own.get(known.id)
    if (amount === undefined) continue
    const state = yield* lock(known, executionId)
    const change = 'UPDATE budget_reservations SET amount = ? WHERE execution_id = ? AND budget = ? AND amount < ?'
    yield* all(change, amount, executionId, known.id, amount)
    if (isOver(state, amount)) refusal ??= toRefusal({ ...state, used: state.used + amount }, now)
  }
  return refusal
}

function* lock(budget: Omit<BudgetState, 'used' | 'reserved'>, executionId: string): Steps<BudgetState> {
  const { id, start } = budget
  const row = yield* get('SELECT used FROM budgets WHERE budget = ? AND period = ? FOR UPDATE', id, start)
  const others = `SELECT coalesce(${SUM}, 0) AS reserved FROM budget_reservations
    WHERE budget = ? AND period = ? AND execution_id <> ?`
  const held = yield* get(others, id, start, executionId)
  return { ...budget, used: countIn(row, 'used'), reserved: Number(held?.['reserved'] ?? 0) }
}

/** What was refused is charged nothing. */
export type EndedExecution = Execution & { readonly isRefused?: boolean | undefined }

/** Adds what executions have used to their budgets, once: their reservations are gone then. */
export function* settle(executions: readonly EndedExecution[]): Steps<void> {
  const charges: Charge[] = []
  for (const execution of executions) {
    const rows = yield* all(`DELETE FROM budget_reservations WHERE execution_id = ? ${RETURNED}`, execution.id)
    if (execution.isRefused === true) continue
    charges.push(...rows.map((row) => chargeFor(toReserved(row), execution)))
  }
  yield* charge(charges)
}

/** What a process that is gone had reserved for executions that were never stored. */
export function* settleOwner(owner: string): Steps<void> {
  const rows = yield* all(`DELETE FROM budget_reservations WHERE owner = ? ${RETURNED}`, owner)
  yield* charge(rows.map((row) => chargeFor(toReserved(row), undefined)))
}

const RETURNED = 'RETURNING budget, period, amount'

function toReserved(row: Row) {
  return { budget: String(row['budget']), period: String(row['period']), amount: countIn(row, 'amount') }
}

/** A sum stops at the largest integer that can be read, whatever an agent says. */
const added = (column: string) => `${column} = CASE WHEN budgets.${column} < 0 THEN excluded.${column}
  WHEN budgets.${column} < ${Number.MAX_SAFE_INTEGER} - excluded.${column} THEN budgets.${column} + excluded.${column}
  ELSE ${Number.MAX_SAFE_INTEGER} END`

const CHARGE = `INSERT INTO budgets (budget, period, used, lost) VALUES (?, ?, ?, ?)
  ON CONFLICT (budget, period) DO UPDATE SET ${added('used')}, ${added('lost')}`

/** In the order in which `reserve` locks them. */
function* charge(charges: readonly Charge[]): Steps<void> {
  const sorted = [...charges].sort((one, other) => (one.budget < other.budget ? -1 : 1))
  for (const { budget, period, amount, lost } of sorted) yield* all(CHARGE, budget, period, amount, lost)
}

/** What was damaged is not a credit. */
function countIn(row: Row | undefined, column: string): number {
  return Math.max(0, Number(row?.[column] ?? 0))
}

export type StoredBudget = { used: number; lost: number; reserved: number }

export function* readBudget(id: string, period: string): Steps<StoredBudget> {
  const row = yield* get('SELECT used, lost FROM budgets WHERE budget = ? AND period = ?', id, period)
  const sum = `SELECT coalesce(${SUM}, 0) AS reserved FROM budget_reservations WHERE budget = ? AND period = ?`
  const held = yield* get(sum, id, period)
  return {
    used: countIn(row, 'used'),
    lost: countIn(row, 'lost'),
    reserved: Number(held?.['reserved'] ?? 0),
  }
}

const HISTORY_DAYS = 30
const TOKENS = ['input_tokens', 'output_tokens', 'cached_tokens', 'reasoning_tokens', 'cache_write_tokens'] as const
const SUMS = [
  'sum(completed + failed + cancelled) AS ended',
  'sum(completed + failed + cancelled + lost - plan_executions - unknown_cost_executions) AS cost_known',
  ...['completed', 'cost_usd', 'duration_ms', ...TOKENS].map((column) => `sum(${column}) AS ${column}`),
].join(', ')

/**
 * What prompts like this one have used on average, as far as the usage tells. Of the key and the model, else of the key,
 * else of the agent. The demo agent, which uses the names of others, tells nothing about them.
 */
function* readHistory({ keyId, backend, model, isFree }: PromptLike, now: Date): Steps<History> {
  const since = dayBefore(now, HISTORY_DAYS)
  const narrower: [string, string[]][] = [
    ...(model === undefined ? [] : [['AND key_id = ? AND model = ?', [keyId, model]] as [string, string[]]]),
    ['AND key_id = ?', [keyId]],
    ['', []],
  ]
  let history: History = isFree ? { usd: 0 } : {}
  for (const [terms, values] of narrower) {
    const row = yield* get(
      `SELECT ${SUMS} FROM usage WHERE day > ? AND backend = ? AND model <> '${DEMO_MODEL}' ${terms}`,
      since,
      backend,
      ...values,
    )
    history = { ...(row && averageOf(toPast(row, backend))), ...history }
    if (history.usd !== undefined && history.tokens !== undefined) break
  }
  return history
}

function toPast(row: Row, backend: string): PastPrompts {
  const [input_tokens = 0, output_tokens = 0, cached_tokens = 0, reasoning_tokens = 0, cache_write_tokens = 0] =
    TOKENS.map((name) => Number(row[name] ?? 0))
  const tokens = { input_tokens, output_tokens, cached_tokens, reasoning_tokens, cache_write_tokens }
  return {
    ended: Number(row['ended'] ?? 0),
    completed: Number(row['completed'] ?? 0),
    costKnown: Number(row['cost_known'] ?? 0),
    costUsd: Number(row['cost_usd'] ?? 0),
    tokens: countTokens(tokens, backend),
    minutes: Number(row['duration_ms'] ?? 0) / 60_000,
  }
}
