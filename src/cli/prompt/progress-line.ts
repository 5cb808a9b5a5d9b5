/** One line on a terminal that shows what the agent is doing, for how long, and its tokens. It is redrawn in place. */
import type { AgentEvent } from '../../agents/adapter/agent.ts'
import { formatDuration } from '../output/format-time.ts'
import { toOneLine } from '../output/printable.ts'
import type { Channel } from '../terminal.ts'
import { describeAgentEvent } from './describe-activity.ts'
import { TokenCounter } from './token-count.ts'

const CLEAR_LINE = '\r\u001b[K'
const REDRAW_INTERVAL_MS = 250
/** The line comes back when no text has arrived for this long. */
const QUIET_MS = 1000

export class ProgressLine {
  readonly #channel: Channel
  readonly #isAtLineStart: () => boolean
  readonly #tokens = new TokenCounter()
  #startedAt = 0
  #clearedAt = 0
  #activity = ''
  #isShown = false
  #isPaused = false
  #timer: NodeJS.Timeout | undefined

  /** The line is drawn only while the cursor is at the beginning of a line. */
  constructor(channel: Channel, isAtLineStart: () => boolean) {
    this.#channel = channel
    this.#isAtLineStart = isAtLineStart
  }

  async begin(activity: string): Promise<void> {
    this.#startedAt = performance.now()
    this.#activity = activity
    this.#timer = setInterval(() => this.#tick(), REDRAW_INTERVAL_MS).unref()
    await this.draw()
  }

  note(event: AgentEvent): void {
    this.#isPaused = false
    this.#tokens.note(event)
    this.#activity = describeAgentEvent(event) ?? this.#activity
  }

  async draw(): Promise<void> {
    if (this.#isPaused || !this.#channel.canRedraw || !this.#isAtLineStart()) return
    this.#isShown = true
    await this.#channel.write(`${CLEAR_LINE}${this.#channel.style('dim', this.#format())}`)
  }

  async clear(): Promise<void> {
    this.#clearedAt = performance.now()
    if (!this.#isShown) return
    this.#isShown = false
    await this.#channel.write(CLEAR_LINE)
  }

  /** Until the next event. */
  async pause(): Promise<void> {
    this.#isPaused = true
    await this.clear()
  }

  async end(): Promise<void> {
    clearInterval(this.#timer)
    await this.clear()
  }

  #tick(): void {
    const isQuiet = performance.now() - this.#clearedAt >= QUIET_MS
    // A terminal that has gone away is noticed by the next text.
    if (this.#isShown || isQuiet) this.draw().catch(() => undefined)
  }

  /** `12.3 s · ~340 tok · Bash npm test`, cut at the edge of the terminal. */
  #format(): string {
    const elapsed = performance.now() - this.#startedAt
    const parts = [elapsed < 1000 ? '' : formatDuration(elapsed), this.#tokens.format(), this.#activity]
    return toOneLine(parts.filter((part) => part !== '').join(' · '), this.#channel.columns - 1)
  }
}
