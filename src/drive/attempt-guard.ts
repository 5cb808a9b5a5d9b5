/** Ends an attempt that makes no progress or uses too much. */
import type { Usage } from '../agents/adapter/agent.ts'
import type { PromptEvent } from '../prompts/prompt-event.ts'
import { ProgressWatch, stallReason } from './decide/progress-watch.ts'
import type { AttemptEnd, Tree } from './record/drive-event.shape.ts'

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
  reason: { readonly how: AttemptEnd; readonly message: string } | undefined

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

  [Symbol.dispose](): void {
    this.#isOver = true
    clearTimeout(this.#stallTimer)
    clearTimeout(this.#timeTimer)
    this.#options.signal.removeEventListener('abort', this.#onAbort)
  }

  #end(how: AttemptEnd, message: string): void {
    this.reason ??= { how, message }
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
