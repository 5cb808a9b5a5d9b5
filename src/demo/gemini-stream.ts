import type { Failure, ToolCall, ToolResult } from './answer.ts'
import type { Facts, Voice } from './dialect.ts'
import { type Tally, toStreamStats } from './gemini-stats.ts'
import { sayRetry, toUpstreamError } from './gemini-summary.ts'
import { asLines, NOTHING, type Said } from './said.ts'
import { NO_USAGE, type Usage } from './usage.ts'

/** How gemini tells a turn while it happens (`stream-json`). Thoughts are left out. */
export class GeminiStream implements Voice {
  readonly #facts: Facts
  readonly #tally: Tally = { requests: 0, toolCalls: 0, toolFailures: 0 }
  #toolId = ''

  constructor(facts: Facts) {
    this.#facts = facts
  }

  begin(prompt: string): Said {
    const { sessionId, model } = this.#facts
    return asLines([
      this.#event('init', { session_id: sessionId, model }),
      this.#event('message', { role: 'user', content: prompt }),
    ])
  }

  word(text: string): Said {
    return asLines([this.#event('message', { role: 'assistant', content: text, delta: true })])
  }

  toolCall(call: ToolCall): Said {
    this.#tally.toolCalls++
    this.#toolId = `run_shell_command__${this.#facts.newId()}`
    const parameters = { command: call.command, description: 'Run a command' }
    return asLines([this.#event('tool_use', { tool_name: 'run_shell_command', tool_id: this.#toolId, parameters })])
  }

  toolResult(_call: ToolCall, { output, isDenied }: ToolResult): Said {
    const error = isDenied ? { error: { type: 'tool_not_registered', message: output } } : {}
    const status = isDenied ? 'error' : 'success'
    return asLines([this.#event('tool_result', { tool_id: this.#toolId, status, output, ...error })])
  }

  retry(attempt: number): Said {
    return sayRetry(attempt)
  }

  textLine(text: string): string {
    return `${JSON.stringify(this.#event('message', { role: 'assistant', content: text, delta: true }))}\n`
  }

  finish(usage: Usage): Said {
    return asLines([this.#event('result', { status: 'success', stats: this.#stats(usage) })])
  }

  fail(failure: Failure) {
    const message = `[API Error: ${JSON.stringify(toUpstreamError(failure))}]`
    const fields = { status: 'error', error: { type: 'unknown', message }, stats: this.#stats(NO_USAGE) }
    return { said: asLines([this.#event('result', fields)]), exit: failure.status % 256 }
  }

  /** It stops without a word, and says that all is well. */
  interrupt() {
    return { said: NOTHING, exit: 0, tool: 'left' } as const
  }

  #event(type: string, fields: object): object {
    return { type, timestamp: this.#facts.timestamp(), ...fields }
  }

  #stats(usage: Usage): object {
    const elapsedMs = usage === NO_USAGE ? 0 : this.#facts.elapsedMs()
    return toStreamStats({ model: this.#facts.model, elapsedMs }, usage, this.#tally)
  }
}
