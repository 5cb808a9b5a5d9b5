/** Reserves the budgets of a prompt before its agent starts, and stops the agent when they are spent. */
import type { AgentEvent, Usage } from '../agents/adapter/agent.ts'
import type { AgentResult } from '../agents/agent-result.ts'
import type { Fault } from '../kit/fault.ts'
import { type BudgetRefusal, budgetUnmeasured, toRefusingBudget } from './budget-faults.ts'
import { type Budget, budgetsFor, toStored } from './budget-limit.ts'
import type { RefusingBudget } from './budget-list.shape.ts'
import { ownerKey } from './caller.ts'
import type { BudgetSource, Reservation } from './decide-budget.ts'
import { type Billing, canKnowCost, decideCost } from './decide-cost.ts'
import type { PreparedPrompt } from './open-turn.ts'
import { countTokens } from './tokens.ts'
import { billingOf } from './turn-cost.ts'
import { isInDirectory } from './workdir-policy.ts'

/** A budget in minutes may be overshot by this much. */
const LOOK_MS = 5000

/** Undefined if no budget applies. Throws a Fault if one has nothing left, or cannot be kept. */
export async function reserveBudgets(
  { request, agentRequest, context }: PreparedPrompt,
  source: BudgetSource,
  executionId: string,
): Promise<PromptBudgets | undefined> {
  const { backend, model, workdir } = agentRequest
  const key = ownerKey(context.by)
  const { budgetDirectory: directory = workdir } = request
  const { budgets: ofKey = [], label } = context.by
  const isIn = (outer: string) => isInDirectory(directory, outer)
  const budgets = budgetsFor(source.entries, { key, ofKey, isIn, label })
  if (budgets.length === 0) return undefined
  const billing = billingOf(agentRequest, context)
  for (const { name, unit } of budgets)
    if (!isMeasured(unit, model, billing)) throw budgetUnmeasured({ name, unit, backend })
  const like = { keyId: key?.id ?? '', backend, model, isFree: billing.isDemo || billing.isPlan }
  const reservation = await source.reserve({ executionId, like, budgets })
  return new PromptBudgets(budgets, { reservation, billing, backend, model })
}

function isMeasured(unit: Budget['unit'], model: string | undefined, billing: Billing): boolean {
  if (billing.isDemo || unit === 'requests' || unit === 'minutes') return true
  if (unit === 'usd') return billing.isPlan || canKnowCost(model, billing)
  return billing.agent.reports.tokens && billing.agent.profile?.usage !== 'last-request'
}

type Parts = { reservation: Reservation; billing: Billing; backend: string; model: string | undefined }

/** What is reserved for a prompt that runs. */
export class PromptBudgets implements Disposable {
  readonly #budgets: readonly Budget[]
  readonly #parts: Parts
  readonly #raised: Map<string, number>
  readonly #startedAt = performance.now()
  readonly #timer: NodeJS.Timeout | undefined
  #model: string | undefined
  #usage: Usage | undefined
  #isBusy = false
  #stop: () => void = () => {}
  /** Why the agent was stopped. */
  refusal: Fault | undefined

  constructor(budgets: readonly Budget[], parts: Parts) {
    this.#budgets = budgets
    this.#parts = parts
    this.#model = parts.model
    this.#raised = new Map(parts.reservation.amounts)
    if (budgets.some(({ unit }) => unit === 'minutes'))
      this.#timer = setInterval(() => void this.#raise(), LOOK_MS).unref()
  }

  /** Called when nothing is left. */
  onSpent(stop: () => void): void {
    this.#stop = stop
  }

  noteEvent(event: AgentEvent): void {
    if (event.type === 'init') this.#model = event.content.model ?? this.#model
  }

  noteUsage(usage: Usage): void {
    this.#usage = usage
    void this.#raise()
  }

  /** The result of an agent that was stopped says why. */
  explain<R extends AgentResult>(result: R): R & { budget?: RefusingBudget } {
    if (this.refusal === undefined || result.error === undefined) return result
    const { code, message, details } = this.refusal
    const refused = details as BudgetRefusal
    const { retryAfterSecs } = refused
    const error = { code, message, ...(retryAfterSecs !== undefined && { retryAfterSecs }) }
    return { ...result, error, budget: toRefusingBudget(refused) }
  }

  [Symbol.dispose](): void {
    clearInterval(this.#timer)
  }

  /** If the store fails, the prompt keeps running: its end is charged in any case. */
  async #raise(): Promise<void> {
    const own = this.#grown()
    if (own.size === 0 || this.#isBusy || this.refusal !== undefined) return
    this.#isBusy = true
    try {
      for (const [id, amount] of own) this.#raised.set(id, amount)
      this.refusal = await this.#parts.reservation.raise(own)
    } catch {
      for (const id of own.keys()) this.#raised.set(id, 0)
      this.#isBusy = false
      return
    }
    this.#isBusy = false
    if (this.refusal !== undefined) this.#stop()
    // It may have used more meanwhile, and never say so again.
    else await this.#raise()
  }

  /** What exceeds its reservation. */
  #grown(): Map<string, number> {
    const amounts = this.#budgets.map(({ id, unit }): [string, number] => [id, toStored(this.#used(unit), unit)])
    return new Map(amounts.filter(([id, amount]) => amount > (this.#raised.get(id) ?? 0)))
  }

  #used(unit: Budget['unit']): number {
    const { backend, billing } = this.#parts
    if (unit === 'requests') return 1
    if (unit === 'minutes') return (performance.now() - this.#startedAt) / 60_000
    if (this.#usage === undefined) return 0
    if (unit === 'tokens') return countTokens(this.#usage, backend)
    return decideCost({ usage: this.#usage, model: this.#model }, billing).usd ?? 0
  }
}
