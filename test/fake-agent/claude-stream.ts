import { type DemoUsage, estimateTokens, toLines } from '../../src/demo/demo-answer.ts'
import {
  type Block,
  toErrorMessage,
  toErrorName,
  toInit,
  toMessage,
  toRetry,
  toToolInput,
  toToolResult,
} from './claude-events.ts'
import { type Progress, toFailure, toInterrupted, toSuccess } from './claude-result.ts'
import { describeFailure } from './claude-summary.ts'
import type { AgentOutput, ApiFailure, Facts, Interruption, ToolOutcome } from './dialect.ts'

const SIGNATURE = 'ZGVtbw=='

/** `claude -p --output-format stream-json`, with partial messages or without. */
export class ClaudeStream implements AgentOutput {
  readonly #facts: Facts
  readonly #progress: Progress = { text: '', requests: 0, denials: [] }
  #promptTokens = 0
  #messageId = ''
  #requestId = ''
  #blockIndex = 0
  #toolId = ''
  /** The text that was printed since the last complete block. */
  #unfinished = ''

  constructor(facts: Facts) {
    this.#facts = facts
  }

  begin(prompt: string): string {
    this.#promptTokens = estimateTokens(prompt)
    return toLines([toInit(this.#facts)])
  }

  request(): string {
    const { newId, elapsedMs } = this.#facts
    this.#progress.requests++
    this.#progress.text = ''
    this.#blockIndex = 0
    this.#messageId = `msg_${newId()}`
    this.#requestId = `req_${newId()}`
    return toLines([
      ...this.#requesting(),
      ...this.#streamed({ type: 'message_start', message: this.#message([]) }, { ttft_ms: elapsedMs() }),
    ])
  }

  thinking(text: string): string {
    const tokens = estimateTokens(text)
    return toLines([
      ...this.#blockStart({ type: 'thinking', thinking: '', signature: '' }),
      this.#system('thinking_tokens', { estimated_tokens: tokens, estimated_tokens_delta: tokens }),
      ...this.#blockDelta({ type: 'thinking_delta', thinking: text }),
      ...this.#blockDelta({ type: 'signature_delta', signature: SIGNATURE }),
      ...this.#blockEnd({ type: 'thinking', thinking: text, signature: SIGNATURE }),
    ])
  }

  textStart(): string {
    return toLines(this.#blockStart({ type: 'text', text: '' }))
  }

  word(text: string): string {
    this.#progress.text += text
    this.#unfinished += text
    return toLines(this.#blockDelta({ type: 'text_delta', text }))
  }

  textEnd(text: string): string {
    this.#unfinished = ''
    return toLines(this.#blockEnd({ type: 'text', text }))
  }

  toolCall(command: string): string {
    this.#toolId = `toolu_${this.#facts.newId()}`
    const block = { type: 'tool_use', id: this.#toolId, name: 'Bash' }
    const input = toToolInput(command)
    return toLines([
      ...this.#blockStart({ ...block, input: {} }),
      ...this.#blockDelta({ type: 'input_json_delta', partial_json: JSON.stringify(input) }),
      ...this.#blockEnd({ ...block, input }),
    ])
  }

  replyEnd(reason: 'end_turn' | 'tool_use'): string {
    const usage = { output_tokens: estimateTokens(this.#progress.text) }
    return toLines([
      ...this.#streamed({ type: 'message_delta', delta: { stop_reason: reason, stop_sequence: null }, usage }),
      ...this.#streamed({ type: 'message_stop' }),
    ])
  }

  toolResult(command: string, result: ToolOutcome): string {
    if (result.isDenied) {
      this.#progress.denials.push({ tool_name: 'Bash', tool_use_id: this.#toolId, tool_input: toToolInput(command) })
    }
    const { content, tool_use_result } = toToolResult(this.#toolId, result)
    return toLines([{ ...this.#user(content), tool_use_result }])
  }

  retry(attempt: number, failure?: ApiFailure): string {
    return toLines([toRetry(this.#facts, { attempt, status: failure?.status ?? 500 })])
  }

  textLine(text: string): string {
    const [line = this.#assistant({ type: 'text', text })] = this.#blockDelta({ type: 'text_delta', text })
    return `${JSON.stringify(line)}\n`
  }

  finish(usage: DemoUsage): string {
    return toLines([toSuccess(this.#facts, this.#progress, usage)])
  }

  fail(failure: ApiFailure) {
    const text = describeFailure(failure)
    const notice = {
      ...this.#assistant({ type: 'text', text }),
      message: toErrorMessage(this.#facts.newId(), text),
      error: toErrorName(failure.status),
    }
    // Claude tries again after 401, but not after 400 and 403.
    const retries = [400, 403].includes(failure.status) ? [] : [toRetry(this.#facts, { attempt: 1, ...failure })]
    const result = toFailure(this.#facts, { status: failure.status, text })
    return { output: toLines([...this.#requesting(), ...retries, notice, result]), exitCode: 1 }
  }

  interrupt(signal: Interruption, { isToolRunning }: { isToolRunning: boolean }) {
    if (signal === 'SIGTERM') return { output: '', exitCode: 143, tool: 'left' } as const
    const text = this.#unfinished
    const unfinished = text === '' ? [] : [this.#assistant({ type: 'text', text })]
    const notice = this.#user({ type: 'text', text: '[Request interrupted by user]' })
    const lines = toLines([...unfinished, notice, toInterrupted(this.#facts, this.#progress)])
    // With partial messages the stream just stops.
    const output = this.#facts.invocation.hasPartialMessages ? '' : lines
    return { output, exitCode: isToolRunning ? 1 : 0, tool: 'ended' } as const
  }

  #requesting(): object[] {
    return this.#facts.invocation.hasPartialMessages ? [this.#system('status', { status: 'requesting' })] : []
  }

  #system(subtype: string, fields: object): object {
    return { type: 'system', subtype, ...fields, uuid: this.#facts.newId(), session_id: this.#facts.sessionId }
  }

  #message(content: readonly Block[]) {
    return toMessage(this.#facts, { id: this.#messageId, promptTokens: this.#promptTokens, content })
  }

  #assistant(block: Block): object {
    return {
      type: 'assistant',
      message: { ...this.#message([block]), context_management: null },
      parent_tool_use_id: null,
      session_id: this.#facts.sessionId,
      uuid: this.#facts.newId(),
      request_id: this.#requestId,
    }
  }

  #user(content: Block): object {
    return {
      type: 'user',
      message: { role: 'user', content: [content] },
      parent_tool_use_id: null,
      session_id: this.#facts.sessionId,
      uuid: this.#facts.newId(),
      timestamp: this.#facts.timestamp(),
    }
  }

  #blockStart(block: Block): object[] {
    return this.#streamed({ type: 'content_block_start', index: this.#blockIndex, content_block: block })
  }

  #blockDelta(delta: Block): object[] {
    return this.#streamed({ type: 'content_block_delta', index: this.#blockIndex, delta })
  }

  #blockEnd(block: Block): object[] {
    return [this.#assistant(block), ...this.#streamed({ type: 'content_block_stop', index: this.#blockIndex++ })]
  }

  /** An event of the model's API, printed only with partial messages. */
  #streamed(event: object, fields: object = {}): object[] {
    const { invocation, sessionId, newId } = this.#facts
    if (!invocation.hasPartialMessages) return []
    return [{ type: 'stream_event', event, session_id: sessionId, parent_tool_use_id: null, uuid: newId(), ...fields }]
  }
}
