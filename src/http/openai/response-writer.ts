/**
 * Turns the events of a prompt into the events of a response, and into the response itself. The same events always give
 * the same numbers, so a stream that was cut off can be written again from the stored events. Pure.
 */
import type { ClientCall } from '../../agents/adapter/agent.shape.ts'
import { splitText } from '../../kit/split-text.ts'
import type { PartResult } from '../../prompts/prompt-result.ts'
import { type Tokens, toTokens } from '../../prompts/tokens.ts'
import { readTextInput } from '../compatible/client-tools.ts'
import { Paragraphs, type TextPiece } from '../compatible/reply.ts'
import { agentError } from '../errors/error-body.ts'
import type { HttpError } from '../errors/http-error.ts'
import type {
  CallItem,
  MessageItem,
  OutputItem,
  Phase,
  ReasoningItem,
  ResponseEvent,
  ResponseObject,
  ResponseUsage,
  TextCallItem,
} from './response-object.shape.ts'
import { itemNumber, type ResponseRecord, responseEnvelope, toCallItem } from './response-record.ts'

/** An event of a prompt, live or stored. */
export type AnyEvent = { readonly type: string; readonly content: unknown }

type FailedWith = Pick<HttpError, 'status' | 'message' | 'retryable'> & Partial<Pick<HttpError, 'code' | 'headers'>>

/** How the execution ended. */
export type ResponseEnd =
  | { status: 'completed'; result: PartResult; prompt: string }
  | { status: 'failed'; error: FailedWith }
  | { status: 'cancelled' }

export type NumberedEvent = ResponseEvent & { sequence_number: number }

type WriterOptions = {
  execution: { id: string; createdAt: string; part?: number | undefined }
  record: ResponseRecord
  /** The text of the response is the final answer, not everything that the agent says on its way to it. */
  isWhole: boolean
  isVendorOnly?: boolean
}

type OpenItem = { kind: 'message' | 'reasoning'; id: string; text: string }

export class ResponseWriter {
  readonly #options: WriterOptions
  readonly #done: OutputItem[] = []
  #open: OpenItem | undefined
  #number = 0
  #state: Pick<ResponseObject, 'status' | 'error' | 'usage'> & { completed_at?: number } = {
    status: 'in_progress',
    error: null,
    usage: null,
  }
  /** The texts of messages and of thoughts are paragraphs. */
  readonly #paragraphs = { message: new Paragraphs(), reasoning: new Paragraphs() }

  constructor(options: WriterOptions) {
    this.#options = options
  }

  /** The response as far as it is known. */
  response(): ResponseObject {
    const output = this.#open === undefined ? this.#done : [...this.#done, toItem(this.#open, 'incomplete')]
    return { ...responseEnvelope(this.#options.execution, this.#options.record), ...this.#state, output: [...output] }
  }

  begin(): NumberedEvent[] {
    const response = this.response()
    return [
      ...this.#numbered({ type: 'response.created', response }),
      ...this.#numbered({ type: 'response.in_progress', response }),
    ]
  }

  event({ type, content }: AnyEvent): NumberedEvent[] {
    const { record, isWhole } = this.#options
    if (type === 'tool_use' || type === 'tool_result') {
      this.#paragraphs.message.end()
      this.#paragraphs.reasoning.end()
      // What was said before a tool is called is not the answer.
      if (this.#open?.kind === 'message') return this.#close()
    }
    if (type === 'message' && !isWhole) return this.#add('message', content as TextPiece)
    if (type === 'thinking' && record.summary !== undefined) return this.#add('reasoning', content as TextPiece)
    return []
  }

  end(end: ResponseEnd): NumberedEvent[] {
    if (end.status === 'completed') return this.#complete(end)
    const error = end.status === 'failed' ? toResponseError(end.error, this.#options.isVendorOnly) : null
    this.#state = { status: end.status, error, usage: null }
    const type = end.status === 'failed' ? 'response.failed' : 'response.incomplete'
    return this.#numbered({ type, response: this.response() })
  }

  #complete({ result, prompt }: Extract<ResponseEnd, { status: 'completed' }>): NumberedEvent[] {
    const { tool_calls: calls = [] } = result
    const isAnswered = this.#open?.kind === 'message' || this.#done.some(({ type }) => type === 'message')
    const hasMessage = isAnswered || calls.length > 0
    const answer = hasMessage ? [] : this.#switchTo('message')
    const text = hasMessage || result.output === '' ? [] : this.#append(result.output)
    const closed = [
      ...this.#close(calls.length === 0 ? 'final_answer' : 'commentary'),
      ...calls.flatMap((call) => this.#addCall(call)),
    ]
    if (calls.length === 0) this.#markAnswer()
    const completed = Date.parse(this.#options.execution.createdAt) + result.duration_ms
    this.#state = {
      ...{ status: 'completed', completed_at: Math.floor(completed / 1000) },
      ...{ error: null, usage: toUsage(toTokens(result, prompt)) },
    }
    return [...answer, ...text, ...closed, ...this.#numbered({ type: 'response.completed', response: this.response() })]
  }

  #addCall(call: ClientCall): NumberedEvent[] {
    const isText = this.#options.record.text_tools?.includes(call.tool_name) === true
    const { item, empty, type, done, text } = isText ? toTextCall(call) : toFunctionCall(call)
    const place = { ...this.#index(), item_id: item.id }
    const events = [
      ...this.#numbered({ type: 'response.output_item.added', ...this.#index(), item: empty }),
      ...splitText(text, PIECE_CHARACTERS).flatMap((delta) =>
        this.#numbered({ type: `${type}.delta`, ...place, delta }),
      ),
      ...this.#numbered({ type: `${type}.done`, ...place, ...done }),
      ...this.#numbered({ type: 'response.output_item.done', ...this.#index(), item }),
    ]
    this.#done.push(item)
    return events
  }

  #add(kind: OpenItem['kind'], content: TextPiece): NumberedEvent[] {
    const text = this.#paragraphs[kind].add(content)
    return text === '' ? [] : [...this.#switchTo(kind), ...this.#append(text)]
  }

  /** One item at a time is open. */
  #switchTo(kind: OpenItem['kind']): NumberedEvent[] {
    if (this.#open?.kind === kind) return []
    const closed = this.#close()
    const { id, part = 0 } = this.#options.execution
    const prefix = kind === 'message' ? 'msg_' : 'rs_'
    const open = { kind, id: prefix + itemNumber({ executionId: id, part }, this.#done.length), text: '' }
    this.#open = open
    return [
      ...closed,
      ...this.#numbered({ type: 'response.output_item.added', ...this.#index(), item: toItem(open, 'in_progress') }),
      ...this.#numbered({ type: PART_EVENTS[kind].added, ...this.#place(open), part: toPart(open) }),
    ]
  }

  #append(delta: string): NumberedEvent[] {
    const open = this.#open
    if (open === undefined) return []
    open.text += delta
    const type = PART_EVENTS[open.kind].delta
    return this.#numbered({ type, ...this.#place(open), delta, ...emptyLogprobs(open) })
  }

  /** An agent may call a tool after its last words. */
  #markAnswer(): void {
    const last = this.#done.findLastIndex(({ type }) => type === 'message')
    const item = this.#done[last]
    if (item?.type === 'message') this.#done[last] = { ...item, phase: 'final_answer' }
  }

  #close(phase: Phase = 'commentary'): NumberedEvent[] {
    const open = this.#open
    if (open === undefined) return []
    const events = PART_EVENTS[open.kind]
    const place = this.#place(open)
    const item = toItem(open, 'completed', phase)
    const closing = [
      ...this.#numbered({ type: events.text, ...place, text: open.text, ...emptyLogprobs(open) }),
      ...this.#numbered({ type: events.done, ...place, part: toPart(open) }),
      ...this.#numbered({ type: 'response.output_item.done', ...this.#index(), item }),
    ]
    this.#done.push(item)
    this.#open = undefined
    // Clients join the texts of all messages, but show each thought by itself.
    if (open.kind === 'message') this.#paragraphs.message.end()
    else this.#paragraphs.reasoning = new Paragraphs()
    return closing
  }

  #index() {
    return { output_index: this.#done.length }
  }

  #place({ kind, id }: OpenItem) {
    return { ...this.#index(), item_id: id, [kind === 'message' ? 'content_index' : 'summary_index']: 0 }
  }

  #numbered(event: ResponseEvent): NumberedEvent[] {
    const number = this.#number
    this.#number += 1
    return [{ ...event, sequence_number: number }]
  }
}

const BEGUN = { status: 'in_progress' } as const

function toFunctionCall({ call_id: callId, tool_name: name, arguments: text }: ClientCall) {
  const known = { type: 'function_call', id: toCallItem(callId, 'function'), call_id: callId, name } as const
  const item: CallItem = { ...known, arguments: text, status: 'completed' }
  const type = 'response.function_call_arguments'
  return { item, empty: { ...item, arguments: '', ...BEGUN }, type, done: { name, arguments: text }, text }
}

function toTextCall({ call_id: callId, tool_name: name, arguments: input }: ClientCall) {
  const text = readTextInput(input)
  const known = { type: 'custom_tool_call', id: toCallItem(callId, 'text'), call_id: callId, name } as const
  const item: TextCallItem = { ...known, input: text, status: 'completed' }
  const type = 'response.custom_tool_call_input'
  return { item, empty: { ...item, input: '', ...BEGUN }, type, done: { input: text }, text }
}

/** Clients join the pieces of the arguments. */
const PIECE_CHARACTERS = 4096

const PART_EVENTS = {
  message: {
    added: 'response.content_part.added',
    delta: 'response.output_text.delta',
    text: 'response.output_text.done',
    done: 'response.content_part.done',
  },
  reasoning: {
    added: 'response.reasoning_summary_part.added',
    delta: 'response.reasoning_summary_text.delta',
    text: 'response.reasoning_summary_text.done',
    done: 'response.reasoning_summary_part.done',
  },
} as const

function toItem({ kind, id, text }: OpenItem, status: OutputItem['status'], phase?: Phase): OutputItem {
  const isBegun = status === 'in_progress'
  if (kind === 'message') {
    const content = isBegun ? [] : [{ type: 'output_text' as const, text, annotations: [], logprobs: [] }]
    const said = { type: 'message', id, status, role: 'assistant', content } as const
    return { ...said, ...(phase !== undefined && { phase }) } satisfies MessageItem
  }
  const summary = isBegun ? [] : [{ type: 'summary_text' as const, text }]
  return { type: 'reasoning', id, status, summary } satisfies ReasoningItem
}

function toPart({ kind, text }: OpenItem) {
  return kind === 'message'
    ? { type: 'output_text', text, annotations: [], logprobs: [] }
    : { type: 'summary_text', text }
}

function emptyLogprobs({ kind }: OpenItem): { logprobs?: readonly never[] } {
  return kind === 'message' ? { logprobs: [] } : {}
}

/** The input includes cached tokens, and the output includes reasoning. */
function toUsage({ input, cacheRead, output, reasoning }: Tokens): ResponseUsage {
  return {
    input_tokens: input,
    input_tokens_details: { cached_tokens: cacheRead },
    output_tokens: output,
    output_tokens_details: { reasoning_tokens: reasoning },
    total_tokens: input + output,
  }
}

function toResponseError(error: FailedWith, isVendorOnly = false): ResponseObject['error'] {
  const { message, retryable } = error
  return { code: toResponseCode(error), message, ...(!isVendorOnly && { ...agentError(error), retryable }) }
}

function toResponseCode({ status, code }: FailedWith): NonNullable<ResponseObject['error']>['code'] {
  if (code === 'shutting_down') return code
  if (status === 402) return 'insufficient_quota'
  if (status === 429) return 'rate_limit_exceeded'
  return status < 500 ? 'invalid_prompt' : 'server_error'
}
