/** Decides what an execution that has ended is charged, for what was reserved for it. Pure. */
import { NO_USAGE } from '../agents/adapter/token-usage.ts'
import { agentSilent } from '../agents/faults.ts'
import { type BudgetUnit, toStored } from './budget-limit.ts'
import { countTokens } from './tokens.ts'

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
  agentSilent.code,
]

/** Undefined: nothing is known of the execution, because its process died. */
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
