import type { Failure, ToolCall, ToolResult } from './answer.ts'
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
import { type Spoken, toFailure, toInterrupted, toSuccess } from './claude-result.ts'
import { sayFailure } from './claude-summary.ts'
import type { Facts, Interruption, Voice } from './dialect.ts'
import { asLines, NOTHING, type Said } from './said.ts'
import { estimateTokens, type Usage } from './usage.ts'

const SIGNATURE = 'ZGVtbw=='

/** How claude tells a turn while it happens (`stream-json`), with partial messages or without. */
export class ClaudeStream implements Voice {
  readonly #facts: Facts
  readonly #spoken: Spoken = { text: '', requests: 0, denials: [] }
  #promptTokens = 0
  #messageId = ''
  #requestId = ''
  #blockIndex = 0
  #toolId = ''
  /** Of the text that is being said. */
  #halfSaid = ''

  constructor(facts: Facts) {
    this.#facts = facts
  }

  begin(prompt: string): Said {
    this.#promptTokens = estimateTokens(prompt)
    return asLines([toInit(this.#facts)])
  }

  request(): Said {
    const { newId, elapsedMs } = this.#facts
    this.#spoken.requests++
    this.#spoken.text = ''
    this.#blockIndex = 0
    this.#messageId = `msg_${newId()}`
    this.#requestId = `req_${newId()}`
    return asLines([
      ...this.#requesting(),
      ...this.#streamed({ type: 'message_start', message: this.#message([]) }, { ttft_ms: elapsedMs() }),
    ])
  }

  thought(text: string): Said {
    const tokens = estimateTokens(text)
    return asLines([
      ...this.#blockStart({ type: 'thinking', thinking: '', signature: '' }),
      this.#system('thinking_tokens', { estimated_tokens: tokens, estimated_tokens_delta: tokens }),
      ...this.#blockDelta({ type: 'thinking_delta', thinking: text }),
      ...this.#blockDelta({ type: 'signature_delta', signature: SIGNATURE }),
      ...this.#blockEnd({ type: 'thinking', thinking: text, signature: SIGNATURE }),
    ])
  }

  textStart(): Said {
    return asLines(this.#blockStart({ type: 'text', text: '' }))
  }

  word(text: string): Said {
    this.#spoken.text += text
    this.#halfSaid += text
    return asLines(this.#blockDelta({ type: 'text_delta', text }))
  }

  textEnd(text: string): Said {
    this.#halfSaid = ''
    return asLines(this.#blockEnd({ type: 'text', text }))
  }

  toolCall(call: ToolCall): Said {
    this.#toolId = `toolu_${this.#facts.newId()}`
    const block = { type: 'tool_use', id: this.#toolId, name: 'Bash' }
    const input = toToolInput(call)
    return asLines([
      ...this.#blockStart({ ...block, input: {} }),
      ...this.#blockDelta({ type: 'input_json_delta', partial_json: JSON.stringify(input) }),
      ...this.#blockEnd({ ...block, input }),
    ])
  }

  replyEnd(why: 'end_turn' | 'tool_use'): Said {
    const usage = { output_tokens: estimateTokens(this.#spoken.text) }
    return asLines([
      ...this.#streamed({ type: 'message_delta', delta: { stop_reason: why, stop_sequence: null }, usage }),
      ...this.#streamed({ type: 'message_stop' }),
    ])
  }

  toolResult(call: ToolCall, result: ToolResult): Said {
    if (result.isDenied) {
      this.#spoken.denials.push({ tool_name: 'Bash', tool_use_id: this.#toolId, tool_input: toToolInput(call) })
    }
    const { content, tool_use_result } = toToolResult(this.#toolId, result)
    return asLines([{ ...this.#user(content), tool_use_result }])
  }

  retry(attempt: number): Said {
    return asLines([toRetry(this.#facts, { attempt, status: 500 })])
  }

  textLine(text: string): string {
    const [line = this.#assistant({ type: 'text', text })] = this.#blockDelta({ type: 'text_delta', text })
    return `${JSON.stringify(line)}\n`
  }

  finish(usage: Usage): Said {
    return asLines([toSuccess(this.#facts, this.#spoken, usage)])
  }

  fail(failure: Failure) {
    const text = sayFailure(failure)
    const notice = {
      ...this.#assistant({ type: 'text', text }),
      message: toErrorMessage(this.#facts.newId(), text),
      error: toErrorName(failure.status),
    }
    const retry = toRetry(this.#facts, { attempt: 1, status: failure.status })
    const result = toFailure(this.#facts, { status: failure.status, text })
    return { said: asLines([...this.#requesting(), retry, notice, result]), exit: 1 }
  }

  interrupt(signal: Interruption, { isToolRunning }: { isToolRunning: boolean }) {
    if (signal === 'SIGTERM') return { said: NOTHING, exit: 143, tool: 'left' } as const
    const text = this.#halfSaid
    const halfSaid = text === '' ? [] : [this.#assistant({ type: 'text', text })]
    const notice = this.#user({ type: 'text', text: '[Request interrupted by user]' })
    const lines = asLines([...halfSaid, notice, toInterrupted(this.#facts, this.#spoken)])
    // With partial messages the stream just stops.
    const said = this.#facts.invocation.hasPartialMessages ? NOTHING : lines
    return { said, exit: isToolRunning ? 1 : 0, tool: 'ended' } as const
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

  /** An event as it came from the model, for those who asked for partial messages. */
  #streamed(event: object, fields: object = {}): object[] {
    const { invocation, sessionId, newId } = this.#facts
    if (!invocation.hasPartialMessages) return []
    return [{ type: 'stream_event', event, session_id: sessionId, parent_tool_use_id: null, uuid: newId(), ...fields }]
  }
}
