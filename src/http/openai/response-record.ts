/** What is stored of a response request besides its prompt, and what is sent again from it. Pure. */
import type { Execution } from '../../executions/store/execution.shape.ts'
import { withoutIdPrefix } from '../../executions/store/execution-id.ts'
import { messageInvalid } from '../../kit/faults.ts'
import type { JsonObject } from '../../kit/json-value.ts'
import type { Rule } from '../../kit/schema.ts'
import type { StoredMessage } from './response-input.ts'
import type { ResponseObject } from './response-object.shape.ts'
import type { InputItemsQuery, ItemList, ResponseRequest, StoredItem } from './responses.shape.ts'

/** Stored as JSON with the execution. */
export type ResponseRecord = {
  api: 'responses'
  model: string
  store: boolean
  background: boolean
  /** The client got its events. */
  stream: boolean
  /** Undefined: the prompt is the only message. */
  messages?: readonly StoredMessage[]
  instructions?: string
  previous_response_id?: string
  conversation?: string
  metadata: Readonly<Record<string, string>>
  max_output_tokens?: number
  effort?: string
  /** The client wants to see what the agent thinks. */
  summary?: string
  /** Of the answer; text if it is undefined. */
  format?: JsonObject
  /** The agent may call functions of the client. */
  has_tools?: true
  /** It has to. */
  must_call?: true
  /** The client runs one call at a time. */
  one_call?: true
  /** The names of the functions that take a text. */
  text_tools?: readonly string[]
  /** The session was started by a response, so it is deleted with its last response. */
  owns_session: boolean
}

const MAX_NAME_LENGTH = 64

export const namesAreShort: Rule<Pick<ResponseRequest, 'metadata'>> = ({ metadata }) =>
  Object.keys(metadata ?? {})
    .filter((name) => name.length > MAX_NAME_LENGTH)
    .map(() => ({ path: '$.metadata', rule: `must have names of at most ${MAX_NAME_LENGTH} characters` }))

/** Undefined if the execution is not that of a response. */
export function readResponseRecord({ client_request: request }: Execution): ResponseRecord | undefined {
  return request?.['api'] === 'responses' ? (request as unknown as ResponseRecord) : undefined
}

const PREFIX = 'resp_'

/** The parts of a turn that calls functions of the client are a response each. */
function toResponseId(executionId: string, part: number): string {
  return PREFIX + withoutIdPrefix(executionId) + (part === 0 ? '' : `_${part}`)
}

type Place = { executionId: string; part: number }

/** Undefined if no response can have this id. */
export function placeOfResponse(responseId: string): Place | undefined {
  const [, random, part = '0'] = /^resp_([0-9a-f]{24})(?:_([1-9]\d{0,5}))?$/.exec(responseId) ?? []
  return random === undefined ? undefined : { executionId: `exec_${random}`, part: Number(part) }
}

/** The id of an item of the output, without its prefix. */
export function itemNumber({ executionId, part }: Place, index: number): string {
  return withoutIdPrefix(executionId) + (part === 0 ? '' : `p${part}x`) + index.toString(16).padStart(2, '0')
}

/** What an item belongs to: one of its output, or a message of its input. */
export function placeOfItem(itemId: string): Place | undefined {
  const [, random, part = '0'] =
    /^(?:msg|rs)_([0-9a-f]{24})(?:(?:p([1-9]\d{0,5})x)?[0-9a-f]{2,8}|in\d+)$/.exec(itemId) ?? []
  return random === undefined ? undefined : { executionId: `exec_${random}`, part: Number(part) }
}

const CALL = 'call_'
/** Of a call of a function, and of one of a tool that takes a text. */
const CALL_ITEMS = { function: 'fc_', text: 'ctc_' }

export function toCallItem(callId: string, kind: keyof typeof CALL_ITEMS): string {
  return CALL_ITEMS[kind] + callId.slice(CALL.length)
}

/** The id of the call that an item of the output is; undefined if it is something else. */
export function callOfItem(itemId: string): string | undefined {
  const prefix = Object.values(CALL_ITEMS).find((each) => itemId.startsWith(each))
  return prefix === undefined ? undefined : CALL + itemId.slice(prefix.length)
}

/** The fields of a response that do not change. */
export function responseEnvelope(
  { id, createdAt, part = 0 }: { id: string; createdAt: string; part?: number | undefined },
  record: ResponseRecord,
): Omit<ResponseObject, 'status' | 'error' | 'output' | 'usage'> {
  return {
    id: toResponseId(id, part),
    object: 'response',
    created_at: Math.floor(Date.parse(createdAt) / 1000),
    completed_at: null,
    background: record.background,
    conversation: record.conversation === undefined ? null : { id: record.conversation },
    frequency_penalty: 0,
    incomplete_details: null,
    instructions: record.instructions ?? null,
    max_output_tokens: record.max_output_tokens ?? null,
    max_tool_calls: null,
    metadata: record.metadata,
    model: record.model,
    parallel_tool_calls: record.one_call !== true,
    presence_penalty: 0,
    previous_response_id: record.previous_response_id ?? null,
    prompt_cache_key: null,
    reasoning: { effort: record.effort ?? null, summary: record.summary ?? null },
    safety_identifier: null,
    service_tier: 'default',
    store: record.store,
    temperature: 1,
    text: { format: record.format ?? { type: 'text' } },
    tool_choice: 'auto',
    tools: [],
    top_logprobs: 0,
    top_p: 1,
    truncation: 'disabled',
  }
}

export const DEFAULT_LIMIT = 20

/** The messages of the input, first to last. */
export function listInputMessages(execution: Execution, record: ResponseRecord): (StoredMessage & { id: string })[] {
  const messages = record.messages ?? [{ role: 'user', text: execution.prompt ?? '' }]
  return messages.map((message, at) => ({ ...message, id: `msg_${withoutIdPrefix(execution.id)}in${at}` }))
}

export function listInputItems(execution: Execution, record: ResponseRecord): StoredItem[] {
  return listInputMessages(execution, record).map(toItem)
}

/** A page of the messages of the input. Throws a Fault if it must follow an item that is not in the list. */
export function listInput(execution: Execution, record: ResponseRecord, query: InputItemsQuery): ItemList {
  const { limit = DEFAULT_LIMIT, order = 'desc', after } = query
  const items = listInputItems(execution, record)
  if (order === 'desc') items.reverse()
  const at = items.findIndex(({ id }) => id === after)
  if (after !== undefined && at === -1) {
    const rule = 'must be the id of an item of this list'
    throw messageInvalid({ message: 'the query', problems: [{ path: '$.after', rule }] })
  }
  const rest = items.slice(at + 1)
  const data = rest.slice(0, limit)
  const [first, last] = [data.at(0)?.id ?? null, data.at(-1)?.id ?? null]
  return { object: 'list', data, first_id: first, last_id: last, has_more: rest.length > limit }
}

function toItem({ role, text, id }: StoredMessage & { id: string }): StoredItem {
  const type = role === 'assistant' ? 'output_text' : 'input_text'
  return {
    type: 'message',
    id,
    status: 'completed',
    role: role as StoredItem['role'],
    content: [{ type, text }],
  }
}
