import { randomUUID } from 'node:crypto'
import {
  type DemoFailure,
  type DemoFunctionCall,
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
  #denials: object[] = []

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
    return this.#toolUse('Bash', toBashInput(command))
  }

  toolResult(_command: string, { output, exitCode }: DemoToolResult): string {
    return this.#toolEnd(output, exitCode !== 0)
  }

  functionCall({ server, name, input }: DemoFunctionCall): string {
    return this.#toolUse(`mcp__${server}__${name}`, input)
  }

  functionResult(_call: DemoFunctionCall, { text, isError }: { text: string; isError: boolean }): string {
    return this.#toolEnd(text, isError)
  }

  /** Asks about the last tool call. */
  permissionRequest(requestId: string, command: string): string {
    const call = { tool_name: 'Bash', input: toBashInput(command), tool_use_id: this.#toolId }
    return toLines([{ type: 'control_request', request_id: requestId, request: { subtype: 'can_use_tool', ...call } }])
  }

  noteDenied(command: string): void {
    this.#denials.push({ tool_name: 'Bash', tool_use_id: this.#toolId, tool_input: toBashInput(command) })
  }

  /** The turn was ended from outside. */
  interrupt(): string {
    const how = { subtype: 'error_during_execution', is_error: true, terminal_reason: 'aborted_streaming' }
    return toLines([this.#event('result', { ...how, num_turns: this.#requests })])
  }

  #toolUse(name: string, input: object): string {
    this.#toolId = `toolu_${randomUUID()}`
    return toLines([this.#message({ type: 'tool_use', id: this.#toolId, name, input })])
  }

  #toolEnd(content: string, isError: boolean): string {
    const result = { type: 'tool_result', tool_use_id: this.#toolId, content, is_error: isError }
    return toLines([this.#event('user', { message: { role: 'user', content: [result] } })])
  }

  /** Claude counts cached tokens apart from the input. */
  finish({ input, cached, output }: DemoUsage): string {
    const usage = { input_tokens: input - cached, cache_read_input_tokens: cached, output_tokens: output }
    const counts = { num_turns: this.#requests, usage, permission_denials: this.#denials }
    return toLines([this.#event('result', { subtype: 'success', is_error: false, result: this.#text, ...counts })])
  }

  /** Claude gives the subtype `success` to a turn that the API ended with an error. */
  fail({ status, message, resetSecs }: DemoFailure) {
    const retry = { attempt: 1, max_retries: 1, error_status: status, error: 'server_error' }
    const resetsAt = Math.floor(Date.now() / 1000) + (resetSecs ?? 0)
    const text = resetSecs === undefined ? `API Error: ${status} ${message}` : toLimitText(resetsAt)
    const result = { is_error: true, api_error_status: status, num_turns: 1, result: text }
    const events = [
      ...(status >= 500 ? [this.#event('system', { subtype: 'api_retry', ...retry })] : []),
      ...(resetSecs === undefined
        ? []
        : [this.#event('rate_limit_event', { rate_limit_info: { status: 'rejected', resetsAt } })]),
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

function toBashInput(command: string): object {
  return { command, description: 'Run a command' }
}

/** The hour is for people; `resetsAt` beside it is exact. */
function toLimitText(resetsAt: number): string {
  const time = new Date(resetsAt * 1000).toISOString().slice(11, 16)
  return `You've hit your session limit · resets ${time} (UTC)`
}
