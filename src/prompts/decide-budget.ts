/** Decides whether a prompt may start under its budgets, and how much of each is reserved for it. Pure. */
import { NO_USAGE } from '../agents/adapter/token-usage.ts'
import { agentSilent } from '../agents/faults.ts'
import type { Fault } from '../kit/fault.ts'
import { type BudgetRefusal, budgetFull, budgetSpent } from './budget-faults.ts'
import { type Budget, type BudgetEntry, type BudgetUnit, inUnits, type PeriodTimes, toStored } from './budget-limit.ts'
import { shuttingDown } from './faults.ts'
import { countTokens } from './tokens.ts'

/** Whose history tells what a prompt may use. */
export type PromptLike = {
  readonly keyId: string
  readonly backend: string
  readonly model: string | undefined
  /** It costs no dollars: a demo agent, or one with a plan. */
  readonly isFree: boolean
}

export type Reservation = {
  /** Raises what is reserved to what was used so far, in stored integers by budget. Returns why the prompt must stop, if it must. */
  raise(own: ReadonlyMap<string, number>): Promise<Fault | undefined>
  /** What is reserved, by budget. */
  readonly amounts: ReadonlyMap<string, number>
}

/** How prompts reserve budgets. The prompts half only knows this interface; `executions` implements it. */
export type BudgetSource = {
  /** The setting `budgets`, as it is now. */
  readonly entries: readonly BudgetEntry[]
  /** Throws a Fault if a budget has nothing left. */
  reserve(asked: { executionId: string; like: PromptLike; budgets: readonly Budget[] }): Promise<Reservation>
}

/** A budget as it is stored, in stored integers. */
export type BudgetState = Budget &
  PeriodTimes & {
    readonly used: number
    /** By other prompts. */
    readonly reserved: number
  }

/** What prompts like this one used on average, as far as that is known. */
export type History = Partial<Readonly<Record<BudgetUnit, number>>>

/** For a prompt without history: as much as one of average length. */
const DEFAULTS: Required<History> = { usd: 0.25, tokens: 100_000, requests: 1, minutes: 2 }

/** The time in which a client may well wait. */
const SOON_MS = 3600 * 1000
/** How soon a prompt that runs may give back what it does not need. */
const BUSY_RETRY_SECS = 15

export type BudgetDecision =
  | { readonly amounts: ReadonlyMap<string, number> }
  /** `hasReservations`: what others reserved is a part of the reason. */
  | { readonly refusal: Fault<BudgetRefusal>; readonly hasReservations: boolean }

/** A budget with something left lets a prompt start, whatever it may need: the next one is refused. */
export function decideReservation(states: readonly BudgetState[], history: History, now: Date): BudgetDecision {
  const full = states.find(({ used, reserved, limit }) => used + reserved >= limit)
  if (full !== undefined) return { refusal: toRefusal(full, now), hasReservations: full.reserved > 0 }
  const amounts = states.map(({ id, unit, limit, used, reserved }): [string, number] => {
    const wanted = Math.max(1, toStored(history[unit] ?? DEFAULTS[unit], unit))
    return [id, Math.min(wanted, limit - used - reserved)]
  })
  return { amounts: new Map(amounts) }
}

/** Sums of prompts that have ended. */
export type PastPrompts = {
  readonly ended: number
  readonly completed: number
  /** Of how many the cost is known. */
  readonly costKnown: number
  readonly costUsd: number
  readonly tokens: number
  readonly minutes: number
}

/**
 * A prompt of unknown cost is charged what was reserved for it. If it counted here as one that cost nothing, each would be
 * charged less than the one before it.
 */
export function averageOf({ ended, completed, costKnown, costUsd, tokens, minutes }: PastPrompts): History {
  if (ended === 0) return {}
  return {
    ...(costKnown > 0 && { usd: costUsd / costKnown }),
    tokens: averageTokens({ ended, completed, tokens }),
    requests: 1,
    minutes: minutes / ended,
  }
}

/** Those that were cut off used tokens that no one has counted, and are charged what was reserved for them too. */
function averageTokens({ ended, completed, tokens }: Pick<PastPrompts, 'ended' | 'completed' | 'tokens'>): number {
  const most = Math.max(tokens / ended, DEFAULTS.tokens)
  return completed === 0 ? most : Math.min(tokens / completed, most)
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

type Reserved = { readonly budget: string; readonly period: string; readonly amount: number }

/** `lost`: the part of the amount that is not known to have been used. */
export type Charge = Reserved & { readonly lost: number }

/** The parts of an execution that count. */
type Ended = {
  readonly state: string
  readonly backend?: string
  readonly usage?: Parameters<typeof countTokens>[0]
  readonly cost_usd?: number
  readonly cost_kind?: string
  readonly started_at?: string
  readonly ended_at?: string
  readonly result?: { readonly [name: string]: unknown }
}

/** After these, an agent may have used more than it could report. */
const CUT_OFF: readonly unknown[] = [
  'agent_timeout',
  'agent_cancelled',
  'canceled',
  'agent_ended_early',
  shuttingDown.code,
  agentSilent.code,
]

/**
 * Decides what an execution that has ended is charged, for what was reserved for it. Undefined: nothing is known of the
 * execution, because its process died.
 */
export function chargeFor(reserved: Reserved, ended: Ended | undefined): Charge {
  const unit = unitOf(reserved.budget)
  const used = ended === undefined || ended.state === 'lost' ? undefined : usedBy(ended, unit)
  if (used === undefined) return { ...reserved, lost: unit === 'requests' ? 0 : reserved.amount }
  return { ...reserved, amount: toStored(used, unit), lost: 0 }
}

/** The id of a budget ends with its unit and period. */
function unitOf(budget: string): BudgetUnit {
  return budget.slice(budget.lastIndexOf(' ') + 1).split('/')[0] as BudgetUnit
}

/** Undefined if that is not known. */
function usedBy(ended: Ended, unit: BudgetUnit): number | undefined {
  const { backend = '', usage = NO_USAGE, cost_usd: cost, cost_kind: kind, result } = ended
  const tokens = countTokens(usage, backend)
  const isCounted = result !== undefined && (tokens > 0 || !CUT_OFF.includes(result['error_code']))
  switch (unit) {
    case 'requests':
      return 1
    case 'minutes':
      return minutesOf(ended)
    case 'tokens':
      return isCounted ? tokens : undefined
    case 'usd':
      if (cost !== undefined || kind === 'plan') return cost ?? 0
      // An agent that ended by itself without a token has cost nothing. Tokens without a price have.
      return isCounted && tokens === 0 ? 0 : undefined
  }
}

function minutesOf({ started_at: from, ended_at: to }: Ended): number | undefined {
  return from === undefined || to === undefined ? undefined : Math.max(0, Date.parse(to) - Date.parse(from)) / 60_000
}
