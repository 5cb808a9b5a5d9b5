/** One quiet line on a terminal that says what an agent is doing, and goes away when it has something to say. */
import type { AgentEvent } from '../agents/agent.ts'
import { toOneLine } from './printable.ts'
import type { Channel } from './terminal.ts'

const CLEAR_LINE = '\r\u001b[K'

export class ProgressLine {
  readonly #channel: Channel
  #isShown = false

  constructor(channel: Channel) {
    this.#channel = channel
  }

  async show(event: AgentEvent): Promise<void> {
    const activity = activityOf(event)
    if (activity === undefined || !this.#channel.isTty) return
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

/** What an event says about the moment, in a few words; undefined when it says nothing new. */
function activityOf(event: AgentEvent): string | undefined {
  switch (event.type) {
    case 'init':
      return 'waiting for the answer'
    case 'thinking':
      return 'thinking'
    case 'tool_use':
      return `${event.content.tool_name} ${sayInput(event.content.input)}`
    case 'tool_result':
      return `${event.content.tool_name} ${event.content.is_error === true ? 'failed' : 'done'}`
    case 'progress':
      return event.content.message ?? event.content.stage.replaceAll('_', ' ')
    default:
      return undefined
  }
}

/** A tool's input on one line: the command where there is one, otherwise all of it. */
function sayInput(input: unknown): string {
  if (typeof input === 'object' && input !== null) {
    for (const name of ['command', 'file_path', 'path', 'pattern', 'url']) {
      const value = (input as Record<string, unknown>)[name]
      if (typeof value === 'string') return value
    }
  }
  return input === undefined ? '' : JSON.stringify(input)
}
