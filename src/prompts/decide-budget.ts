/** Decides whether a prompt may start under its budgets, and how much of each is reserved for it. Pure. */
import type { Fault } from '../kit/fault.ts'
import { type BudgetRefusal, budgetFull, budgetSpent } from './budget-faults.ts'
import { type Budget, type BudgetUnit, inUnits, type PeriodTimes, toStored } from './budget-limit.ts'

/** A budget as it is stored, in stored integers. */
export type BudgetState = Budget &
  PeriodTimes & {
    readonly used: number
    /** By other prompts. */
    readonly reserved: number
  }

/** What prompts like this one used on average; undefined if there were none. */
export type History = Readonly<Record<BudgetUnit, number>>

/** For a prompt without history: as much as one of average length. */
const DEFAULTS: History = { usd: 0.25, tokens: 100_000, requests: 1, minutes: 2 }

/** The time in which a client may well wait. */
const SOON_MS = 3600 * 1000
/** How soon a prompt that runs may give back what it does not need. */
const BUSY_RETRY_SECS = 15

export type BudgetDecision =
  | { readonly amounts: ReadonlyMap<string, number> }
  /** `hasReservations`: what others reserved is a part of the reason. */
  | { readonly refusal: Fault<BudgetRefusal>; readonly hasReservations: boolean }

/** A budget with something left lets a prompt start, whatever it may need: the next one is refused. */
export function decideReservation(
  states: readonly BudgetState[],
  history: History | undefined,
  now: Date,
): BudgetDecision {
  const full = states.find(({ used, reserved, limit }) => used + reserved >= limit)
  if (full !== undefined) return { refusal: toRefusal(full, now), hasReservations: full.reserved > 0 }
  const amounts = states.map(({ id, unit, limit, used, reserved }): [string, number] => {
    const wanted = Math.max(1, toStored((history ?? DEFAULTS)[unit], unit))
    return [id, Math.min(wanted, limit - used - reserved)]
  })
  return { amounts: new Map(amounts) }
}

/** Whether a prompt that runs must stop: with `own`, which it has used so far, nothing is left. */
export function isOver({ used, reserved, limit }: BudgetState, own: number): boolean {
  return used + reserved + own >= limit
}

export function toRefusal(state: BudgetState, now: Date): Fault<BudgetRefusal> {
  const { name, unit, period, used, reserved, limit, resetsAt } = state
  const untilReset =
    resetsAt === undefined ? undefined : Math.max(1, Math.ceil((Date.parse(resetsAt) - now.getTime()) / 1000))
  const isSpent = used >= limit
  const retryAfterSecs = isSpent ? untilReset : Math.min(BUSY_RETRY_SECS, untilReset ?? BUSY_RETRY_SECS)
  const details = {
    ...{ name, unit, period, resetsAt, retryAfterSecs },
    limit: inUnits(limit, unit),
    used: inUnits(used, unit),
    reserved: inUnits(reserved, unit),
  }
  const isSoon = !isSpent || (untilReset !== undefined && untilReset * 1000 <= SOON_MS)
  return isSoon ? budgetFull(details) : budgetSpent(details)
}
