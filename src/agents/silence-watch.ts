import type { AgentEvent } from './adapter/agent.ts'

/** Node fires a longer timer at once. */
const LONGEST_TIMER_MS = 2 ** 31 - 1

type SilenceOptions = {
  /** Null: no limit. */
  limitMs: number | null
  onSilent: () => void
}

/**
 * Notices that an agent has been silent for too long. A tool call that has begun and not ended is no silence, because most
 * agents print nothing while a tool runs; nor is a question that waits for an answer, or a reader that does not read.
 */
export class SilenceWatch implements Disposable {
  readonly #options: SilenceOptions
  /** Tool calls and questions that have begun and not ended. */
  readonly #pending = new Set<string>()
  #isPaused = false
  #timer: NodeJS.Timeout | undefined

  constructor(options: SilenceOptions) {
    this.#options = options
    this.#restart()
  }

  /** The agent has printed something; `events` is what it means. */
  heard(events: readonly AgentEvent[]): void {
    for (const event of events) this.#note(event)
    this.#restart()
  }

  /** Until `resume`, the agent may have to wait for its reader. */
  pause(): void {
    this.#isPaused = true
    this.#restart()
  }

  resume(): void {
    this.#isPaused = false
    this.#restart()
  }

  [Symbol.dispose](): void {
    this.pause()
  }

  #note({ type, content }: AgentEvent): void {
    if (type === 'tool_use') this.#pending.add(content.tool_id ?? content.tool_name)
    if (type === 'tool_result') this.#pending.delete(content.tool_id ?? content.tool_name)
    if (type === 'approval_request') this.#pending.add(content.approval_id)
    if (type === 'approval_decision') this.#pending.delete(content.approval_id)
  }

  #restart(): void {
    clearTimeout(this.#timer)
    const { limitMs, onSilent } = this.#options
    if (limitMs === null || this.#isPaused || this.#pending.size > 0) return
    this.#timer = setTimeout(onSilent, Math.min(limitMs, LONGEST_TIMER_MS))
  }
}
