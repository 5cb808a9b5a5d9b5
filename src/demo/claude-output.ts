import { randomUUID } from 'node:crypto'
import {
  type DemoFailure,
  type DemoToolResult,
  type DemoTurnFacts,
  type DemoUsage,
  type TurnOutput,
  toLines,
} from './demo-answer.ts'

type Block = { type: string; [field: string]: unknown }

/** `claude -p --output-format stream-json`: claude prints far more, and this is the part of it that drover reads. */
export class DemoClaudeOutput implements TurnOutput {
  readonly #facts: DemoTurnFacts
  #text = ''
  #requests = 0
  #toolId = ''

  constructor(facts: DemoTurnFacts) {
    this.#facts = facts
  }

  begin(): string {
    const { model } = this.#facts
    return toLines([this.#event('system', { subtype: 'init', cwd: process.cwd(), model, tools: ['Bash'] })])
  }

  thinking(text: string): string {
    return toLines([
      ...this.#delta({ type: 'thinking_delta', thinking: text }),
      this.#message({ type: 'thinking', thinking: text }),
    ])
  }

  word(text: string): string {
    return toLines(this.#delta({ type: 'text_delta', text }))
  }

  textEnd(text: string): string {
    this.#text = text
    this.#requests++
    return toLines([this.#message({ type: 'text', text })])
  }

  toolCall(command: string): string {
    this.#toolId = `toolu_${randomUUID()}`
    const input = { command, description: 'Run a command' }
    return toLines([this.#message({ type: 'tool_use', id: this.#toolId, name: 'Bash', input })])
  }

  toolResult(_command: string, { output, exitCode }: DemoToolResult): string {
    const result = { type: 'tool_result', tool_use_id: this.#toolId, content: output, is_error: exitCode !== 0 }
    return toLines([this.#event('user', { message: { role: 'user', content: [result] } })])
  }

  /** Claude counts cached tokens apart from the input. */
  finish({ input, cached, output }: DemoUsage): string {
    const usage = { input_tokens: input - cached, cache_read_input_tokens: cached, output_tokens: output }
    const counts = { num_turns: this.#requests, usage }
    return toLines([this.#event('result', { subtype: 'success', is_error: false, result: this.#text, ...counts })])
  }

  /** Claude gives the subtype `success` to a turn that the API ended with an error. */
  fail({ status, message }: DemoFailure) {
    const retry = { attempt: 1, max_retries: 1, error_status: status, error: 'server_error' }
    const result = { is_error: true, api_error_status: status, num_turns: 1, result: `API Error: ${status} ${message}` }
    const events = [
      this.#event('system', { subtype: 'api_retry', ...retry }),
      this.#event('result', { subtype: 'success', ...result }),
    ]
    return { output: toLines(events), exitCode: 1 }
  }

  #message(block: Block): object {
    const message = { role: 'assistant', model: this.#facts.model, content: [block] }
    return this.#event('assistant', { message })
  }

  #delta(delta: Block): object[] {
    if (!this.#facts.hasPartialMessages) return []
    return [this.#event('stream_event', { event: { type: 'content_block_delta', index: 0, delta } })]
  }

  #event(type: string, fields: object): object {
    return { type, session_id: this.#facts.sessionId, parent_tool_use_id: null, ...fields }
  }
}
