/** One line on a terminal that shows what the agent is doing until its next text arrives. */
import type { AgentEvent } from '../../agents/adapter/agent.ts'
import { toOneLine } from '../output/printable.ts'
import type { Channel } from '../terminal.ts'
import { activityOf } from './activity.ts'

const CLEAR_LINE = '\r\u001b[K'

export class ProgressLine {
  readonly #channel: Channel
  #isShown = false

  constructor(channel: Channel) {
    this.#channel = channel
  }

  async show(event: AgentEvent): Promise<void> {
    const activity = activityOf(event)
    if (activity === undefined || !this.#channel.canRedraw) return
    const line = toOneLine(activity, this.#channel.columns - 1)
    this.#isShown = true
    await this.#channel.write(`${CLEAR_LINE}${this.#channel.style('dim', line)}`)
  }

  async clear(): Promise<void> {
    if (!this.#isShown) return
    this.#isShown = false
    await this.#channel.write(CLEAR_LINE)
  }
}
