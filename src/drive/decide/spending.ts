/** What a driven run has used, and whether it may use more. Pure. */
import { isBudget } from '../../prompts/budget-faults.ts'
import { countTokens } from '../../prompts/tokens.ts'
import type { DrivePause } from '../record/drive-event.shape.ts'
import type { Attempt, DriveState } from '../record/drive-state.ts'
import type { Options } from '../record/recorded-options.shape.ts'
import type { Spent } from '../record/spent.shape.ts'

type Used = Pick<DriveState, 'spent' | 'attempts' | 'delivery_check'>

/** What all attempts and checks have used, in this round and in those before. */
export function spentBy({ spent, attempts, delivery_check: check }: Used): Spent {
  const first = { ...spent, time_ms: spent.time_ms + (check?.duration_ms ?? 0) }
  return attempts.reduce((sum, { ended, checks, backend }) => {
    const checkMs = checks.reduce((total, { duration_ms }) => total + duration_ms, 0)
    const cost = ended?.cost_microusd ?? 0
    return addSpent(sum, {
      tokens: ended?.usage === undefined ? 0 : countTokens(ended.usage, backend),
      cost_microusd: cost,
      ...(ended?.cost_kind === 'priced' && { priced_microusd: cost }),
      time_ms: (ended?.duration_ms ?? 0) + checkMs,
    })
  }, first)
}

export function addSpent(one: Spent, other: Spent): Spent {
  const priced = (one.priced_microusd ?? 0) + (other.priced_microusd ?? 0)
  return {
    tokens: one.tokens + other.tokens,
    cost_microusd: one.cost_microusd + other.cost_microusd,
    ...(priced > 0 && { priced_microusd: priced }),
    time_ms: one.time_ms + other.time_ms,
  }
}

type Rounds = readonly Pick<DriveState, 'attempts'>[]

/** How many attempts of all rounds, latest first, are missing in the sum of costs. A driver may still be at the last one. */
export function countUnknownCosts(rounds: Rounds, { isDriven }: { readonly isDriven: boolean }): number {
  const working = isDriven ? rounds[0]?.attempts.at(-1) : undefined
  return rounds
    .flatMap(({ attempts }) => attempts)
    .filter((each) => {
      const { ended } = each
      if (ended === undefined) return each !== working
      // Nothing is paid for a prompt that a budget refuses.
      return ended.cost_microusd === undefined && ended.cost_kind !== 'plan' && !isBudget(ended.error_code)
    }).length
}

/** An attempt has used tokens whose cost is unknown, so a limit of costs cannot be enforced until a person changes it. */
export function unpricedAttempt(state: Pick<DriveState, 'attempts' | 'attempts_accepted'>): Attempt | undefined {
  return state.attempts.slice(state.attempts_accepted).find(({ ended, backend }) => {
    const { usage, cost_microusd: cost } = ended ?? {}
    return usage !== undefined && cost === undefined && countTokens(usage, backend) > 0
  })
}

/** Why an attempt was ended as soon as its agent named a model without a price. */
export const COST_UNKNOWN = 'cost_unknown'

/** Whether costs are limited: of this run, or of all that were queued with it. */
export function limitsCosts({ max_cost_microusd: own }: Caps, totals: Totals | undefined): boolean {
  return (own ?? totals?.caps.max_cost_microusd) !== undefined
}

type Caps = Pick<Options, 'max_tokens' | 'max_cost_microusd' | 'max_time_ms'>

/** The cap that is reached, if any. A cap of 100 is reached at 100. */
export function reachedCap(spent: Spent, caps: Caps): DrivePause | undefined {
  const { max_tokens = Infinity, max_cost_microusd = Infinity, max_time_ms = Infinity } = caps
  if (spent.tokens >= max_tokens) return 'max_tokens'
  if (spent.cost_microusd >= max_cost_microusd) return 'max_cost'
  return spent.time_ms >= max_time_ms ? 'max_time' : undefined
}

/** What runs that were queued together have used, and may use. */
export type Totals = { readonly spent: Spent; readonly caps: Pick<Caps, 'max_tokens' | 'max_cost_microusd'> }

export function reachedTotal(totals: Totals | undefined): DrivePause | undefined {
  const reached = totals && reachedCap(totals.spent, totals.caps)
  return reached && (reached === 'max_tokens' ? 'total_tokens' : 'total_cost')
}

export type Reserved = { readonly tokens?: number; readonly cost_microusd?: number; readonly time_ms?: number }

/** What may still be used; a field without a cap is absent. */
export function remainingBudget(spent: Spent, caps: Caps): Reserved {
  const { max_tokens, max_cost_microusd, max_time_ms } = caps
  return {
    ...(max_tokens !== undefined && { tokens: Math.max(0, max_tokens - spent.tokens) }),
    ...(max_cost_microusd !== undefined && { cost_microusd: Math.max(0, max_cost_microusd - spent.cost_microusd) }),
    ...(max_time_ms !== undefined && { time_ms: Math.max(0, max_time_ms - spent.time_ms) }),
  }
}

/** The smaller of two budgets, for each of their fields. */
export function smallerBudget(one: Reserved, other: Reserved): Reserved {
  const least = (field: keyof Reserved) => {
    const known = [one[field], other[field]].filter((each) => each !== undefined)
    return known.length === 0 ? {} : { [field]: Math.min(...known) }
  }
  return { ...least('tokens'), ...least('cost_microusd'), ...least('time_ms') }
}
