import type { Agent, Usage } from '../agents/adapter/agent.ts'
import { isNothing } from '../agents/adapter/token-usage.ts'
import { matchesPattern } from '../kit/match-names.ts'
import { listPrices, type ModelPrice } from './model-prices.ts'
import { splitTokens } from './tokens.ts'

/** `reported`: by the agent. `priced`: tokens at list prices. `plan`: a subscription pays for it. */
export type CostKind = 'reported' | 'priced' | 'plan' | 'unknown'

export type Cost = { readonly kind: CostKind; readonly usd?: number }

export type Billing = {
  /** The setting `prices`. */
  readonly prices: readonly ModelPrice[]
  /** The setting `plan` of the backend. */
  readonly isPlan: boolean
  /** The demo agent calls no model. */
  readonly isDemo: boolean
  readonly agent: Pick<Agent, 'backend' | 'reports'> & { profile?: { usage: string } }
}

type Turn = { readonly usage: Usage; readonly model: string | undefined; readonly reportedUsd?: number | undefined }

/** More than any turn costs: a count that is a lie must not become a number that cannot be added. */
const MOST_USD = 1_000_000_000

export function decideCost({ usage, model, reportedUsd }: Turn, billing: Billing): Cost {
  if (billing.isDemo) return { kind: 'reported', usd: 0 }
  if (billing.isPlan) return { kind: 'plan' }
  if (reportedUsd !== undefined) return { kind: 'reported', usd: toWholeDigits(reportedUsd) }
  const price = mayBePriced(billing) && !isNothing(usage) ? findPrice(model, billing.prices) : undefined
  return price === undefined ? { kind: 'unknown' } : { kind: 'priced', usd: priceOf(usage, price, billing) }
}

/** Why the cost of its turns is not known before: who pays, or what is missing. */
export type CostGap = 'plan' | 'tokens' | 'model' | 'price'

/** Undefined: the cost will be known. `model`: as far as it is known before. */
export function findCostGap(model: string | undefined, billing: Billing): CostGap | undefined {
  if (billing.isDemo) return undefined
  if (billing.isPlan) return 'plan'
  if (billing.agent.reports.cost) return undefined
  if (!mayBePriced(billing)) return 'tokens'
  if (model === undefined) return 'model'
  return findPrice(model, billing.prices) === undefined ? 'price' : undefined
}

/** Whether the cost of its turns can be known: the agent may name its model later. */
export function canKnowCost(model: string | undefined, billing: Billing): boolean {
  return ['model', undefined].includes(findCostGap(model, billing))
}

/** What is missing, and what the user can do. */
export function describeCostGap(
  gap: CostGap,
  { backend, model = '' }: { backend: string; model?: string | undefined },
) {
  switch (gap) {
    case 'plan':
      return { why: `backends.${backend}.plan is true`, todo: 'limit its tokens with --max-tokens' }
    case 'tokens':
      return { why: `${backend} does not report all of its tokens`, todo: 'use another agent, or --max-time' }
    case 'model':
      return {
        why: `drover does not know the model of ${backend} before it starts`,
        todo: `name one: drover config set backends.${backend}.model MODEL`,
      }
    case 'price':
      return {
        why: `the model ${model} of ${backend} has no price`,
        todo: `add one to the setting prices, or choose another model: drover config set backends.${backend}.model MODEL`,
      }
  }
}

/** Some agents count only the tokens of their last model request. */
function mayBePriced({ agent: { reports, profile } }: Billing): boolean {
  return reports.tokens && profile?.usage !== 'last-request'
}

/** A name may have its provider in front, as in `anthropic/claude-sonnet-4-5`. */
export function findPrice(model: string | undefined, prices: readonly ModelPrice[]): ModelPrice | undefined {
  if (model === undefined) return undefined
  const names = [model, model.slice(model.lastIndexOf('/') + 1)]
  return [...prices, ...listPrices()].find((each) => names.some((name) => matchesPattern(name, each.model)))
}

function priceOf(usage: Usage, price: ModelPrice, { agent }: Billing): number {
  const { input, cacheRead, cacheWrite, output } = splitTokens(usage, agent.backend)
  const fresh = Math.max(0, input - cacheRead - cacheWrite)
  const { cached_input: cached = price.input, cache_write: written = price.input } = price
  const millions = fresh * price.input + cacheRead * cached + cacheWrite * written + output * price.output
  return toWholeDigits(millions / 1_000_000)
}

/** Sums of decimal fractions have digits that none of them has. */
function toWholeDigits(usd: number): number {
  return Math.round(Math.min(usd, MOST_USD) * 1e9) / 1e9
}
