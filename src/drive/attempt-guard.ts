/** Ends an attempt that makes no progress or uses too much. */
import type { Backend, Usage } from '../agents/adapter/agent.ts'
import type { AgentLocation } from '../agents/locate-agents.ts'
import { decideCost, describeCostGap, findCostGap } from '../prompts/decide-cost.ts'
import type { PromptEvent } from '../prompts/prompt-event.ts'
import { countTokens } from '../prompts/tokens.ts'
import { billingOf } from '../prompts/turn-cost.ts'
import { ProgressWatch, stallReason } from './decide/progress-watch.ts'
import { COST_UNKNOWN, reachedCap, spentBy } from './decide/spending.ts'
import type { DriveContext } from './drive-context.ts'
import type { AttemptEnd, DrivePause, Tree } from './record/drive-event.shape.ts'
import type { DriveState } from './record/drive-state.ts'

type GuardOptions = {
  readonly signal: AbortSignal
  readonly stallMs: number
  /** How long the attempt may take; undefined: no limit. */
  readonly timeMs: number | undefined
  readonly tree: Tree
  readonly observe: () => Promise<Tree>
  /** Whether a cap is reached with this usage of the attempt. */
  readonly isOverBudget: (usage: Usage) => string | undefined
}

/** Node fires a longer timer at once. */
const LONGEST_TIMER_MS = 2 ** 31 - 1

export class AttemptGuard implements Disposable {
  readonly #controller = new AbortController()
  readonly #options: GuardOptions
  readonly #watch: ProgressWatch
  readonly #onAbort = () => this.#controller.abort()
  #stallTimer: NodeJS.Timeout | undefined
  #timeTimer: NodeJS.Timeout | undefined
  #lastSnapshot: string
  #isOver = false
  /** Why the attempt was ended here. */
  reason: { readonly how: AttemptEnd; readonly message: string; readonly code?: string } | undefined

  constructor(options: GuardOptions) {
    this.#options = options
    this.#lastSnapshot = options.tree.snapshot
    this.#watch = new ProgressWatch({ stallMs: options.stallMs, now: performance.now() })
    if (options.signal.aborted) this.#onAbort()
    options.signal.addEventListener('abort', this.#onAbort)
    if (options.timeMs !== undefined) {
      const end = () => this.#end('budget', 'the limit of time is reached')
      this.#timeTimer = setTimeout(end, Math.min(options.timeMs, LONGEST_TIMER_MS))
    }
    this.#waitForStall()
  }

  get signal(): AbortSignal {
    return this.#controller.signal
  }

  note(event: PromptEvent): void {
    const repeats = this.#watch.note(event, performance.now())
    if (repeats !== undefined) this.#end('stalled', repeats)
  }

  /** Ends the attempt if it has used too much. */
  noteUsage(usage: Usage): void {
    const cap = this.#options.isOverBudget(usage)
    if (cap !== undefined) this.#end('budget', `the limit ${cap} is reached`)
  }

  /** Ends the attempt if its cost must be known and will not be. */
  noteCost(whyUnknown: string | undefined): void {
    if (whyUnknown !== undefined) this.#end('budget', whyUnknown, COST_UNKNOWN)
  }

  [Symbol.dispose](): void {
    this.#isOver = true
    clearTimeout(this.#stallTimer)
    clearTimeout(this.#timeTimer)
    this.#options.signal.removeEventListener('abort', this.#onAbort)
  }

  #end(how: AttemptEnd, message: string, code?: string): void {
    this.reason ??= { how, message, ...(code !== undefined && { code }) }
    this.#controller.abort()
  }

  #waitForStall(): void {
    const leftMs = Math.max(1, this.#watch.leftMs(performance.now()))
    this.#stallTimer = setTimeout(() => void this.#checkStall(), Math.min(leftMs, LONGEST_TIMER_MS))
  }

  async #checkStall(): Promise<void> {
    if (this.#watch.leftMs(performance.now()) <= 0) {
      const snapshot = await this.#options.observe().then(
        (tree) => tree.snapshot,
        () => this.#lastSnapshot,
      )
      if (snapshot === this.#lastSnapshot && this.#watch.leftMs(performance.now()) <= 0)
        return this.#end('stalled', stallReason(this.#options.stallMs))
      if (snapshot !== this.#lastSnapshot) this.#watch.noteChange(performance.now())
      this.#lastSnapshot = snapshot
    }
    if (!this.#isOver && !this.signal.aborted) this.#waitForStall()
  }
}

type OwnUse = { usage: Usage; backend: Backend; cost: number | undefined }

/** The limit that an attempt reaches with its own usage. Time has its own guard. */
export function ownCap(state: DriveState, { usage, backend, cost = 0 }: OwnUse): DrivePause | undefined {
  const spent = spentBy(state)
  const { max_time_ms: _, ...caps } = state.options
  const now = { tokens: spent.tokens + countTokens(usage, backend), cost_microusd: spent.cost_microusd + cost }
  return reachedCap({ ...spent, ...now }, caps)
}

/** In millionths of a dollar. An agent that reports its cost keeps the limit itself. */
export function priceSoFar(
  used: { usage: Usage; model: string | undefined },
  { backend, agent }: AgentLocation,
  prompts: DriveContext['prompts'],
): number | undefined {
  if (agent.reports.cost) return undefined
  const { usd } = decideCost(used, billingOf({ backend, agent }, prompts))
  return usd && Math.round(usd * 1_000_000)
}

/** Why the cost of an attempt will not be known. An agent that speaks ACP may report it in the end. */
export function whyUnpriced(
  model: string | undefined,
  { backend, agent }: AgentLocation,
  prompts: DriveContext['prompts'],
): string | undefined {
  if ('profile' in agent || findCostGap(model, billingOf({ backend, agent }, prompts)) !== 'price') return undefined
  const { why, todo } = describeCostGap('price', { backend, model })
  return `${why}, so the limit of costs cannot be kept; ${todo}`
}
