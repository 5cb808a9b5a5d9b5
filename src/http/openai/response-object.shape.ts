/** A response of the Responses API, and the events of its stream. */
import { type TProperties, Type } from 'typebox'
import type { JsonObject } from '../../kit/json-value.ts'
import { literals, type Message, named, namedObject, optionalChoice, tagged } from '../../kit/shape.ts'
import { agentError } from '../errors/error-body.shape.ts'

const count = (description?: string) => Type.Integer({ minimum: 0, ...(description !== undefined && { description }) })
const never = (description: string) => Type.Null({ description })
const fixed = <const T extends string | number>(value: T) =>
  Type.Literal(value, { description: `Always \`${value}\`, whatever the request has.` })
const orNothing = <T extends Parameters<typeof Type.Union>[0][number]>(shape: T, description: string) =>
  Type.Union([shape, Type.Null()], { description })

const OutputText = namedObject('ResponseOutputText', {
  type: Type.Literal('output_text'),
  text: Type.String(),
  annotations: Type.Array(Type.Unknown(), { maxItems: 0, description: 'Always empty.' }),
  logprobs: Type.Array(Type.Unknown(), { maxItems: 0, description: 'Always empty.' }),
})

const ITEM_STATUSES = ['in_progress', 'completed', 'incomplete'] as const

const PHASES = ['commentary', 'final_answer'] as const
export type Phase = (typeof PHASES)[number]

const MessageItem = namedObject('ResponseMessageItem', {
  type: Type.Literal('message'),
  id: Type.String(),
  status: literals(ITEM_STATUSES),
  role: Type.Literal('assistant'),
  content: Type.Array(OutputText),
  phase: optionalChoice(
    '`final_answer`, or `commentary`: what the agent says on its way to it. A message has it when it is complete.',
    PHASES,
  ),
})
export type MessageItem = Message<typeof MessageItem>

const SummaryText = namedObject('ResponseSummaryText', {
  type: Type.Literal('summary_text'),
  text: Type.String({ description: 'What the agent thought.' }),
})

const ReasoningItem = namedObject('ResponseReasoningItem', {
  type: Type.Literal('reasoning'),
  id: Type.String(),
  status: literals(ITEM_STATUSES),
  summary: Type.Array(SummaryText),
})
export type ReasoningItem = Message<typeof ReasoningItem>

const CallItem = namedObject('ResponseFunctionCallItem', {
  type: Type.Literal('function_call'),
  id: Type.String(),
  call_id: Type.String({ description: 'The id to answer with, in a `function_call_output`.' }),
  name: Type.String({ description: 'The name of the function.' }),
  arguments: Type.String({ description: 'The arguments, as JSON.' }),
  status: literals(ITEM_STATUSES),
})
export type CallItem = Message<typeof CallItem>

const TextCallItem = namedObject('ResponseCustomToolCallItem', {
  type: Type.Literal('custom_tool_call'),
  id: Type.String(),
  call_id: Type.String({ description: 'The id to answer with, in a `custom_tool_call_output`.' }),
  name: Type.String({ description: 'The name of the tool.' }),
  input: Type.String({ description: 'The text for the tool.' }),
  status: literals(ITEM_STATUSES),
})
export type TextCallItem = Message<typeof TextCallItem>

export const OutputItem = tagged('type', [MessageItem, ReasoningItem, CallItem, TextCallItem])
export type OutputItem = MessageItem | ReasoningItem | CallItem | TextCallItem

export const ResponseUsage = named(
  'ResponseUsage',
  Type.Object(
    {
      input_tokens: count(),
      input_tokens_details: Type.Object({ cached_tokens: count('The part of the input that came from a cache.') }),
      output_tokens: count(),
      output_tokens_details: Type.Object({ reasoning_tokens: count('The part of the output that is thinking.') }),
      total_tokens: count(),
    },
    { description: 'Estimated as a quarter of the bytes if the agent reports no usage.' },
  ),
)
export type ResponseUsage = Message<typeof ResponseUsage>

const RESPONSE_STATUSES = ['queued', 'in_progress', 'completed', 'failed', 'cancelled'] as const

const ResponseError = Type.Object({
  code: literals(['server_error', 'rate_limit_exceeded', 'insufficient_quota', 'invalid_prompt', 'shutting_down']),
  message: Type.String({ description: 'The message of the agent.' }),
  agent_error: agentError,
  retryable: Type.Optional(
    Type.Boolean({
      description:
        'Whether the same request may succeed if it is sent again unchanged. Not with `server.vendor_errors`.',
    }),
  ),
})

export const Metadata = Type.Unsafe<Record<string, string>>({
  type: 'object',
  additionalProperties: { type: 'string', maxLength: 512 },
  maxProperties: 16,
  description: 'Up to 16 texts of at most 512 characters, by names of at most 64. The response repeats them.',
})

export const ResponseObject = namedObject('ResponseObject', {
  id: Type.String({ pattern: '^resp_[0-9a-f]{24}(_[1-9][0-9]*)?$' }),
  object: Type.Literal('response'),
  created_at: Type.Integer({ minimum: 0, description: 'Unix seconds.' }),
  completed_at: orNothing(
    Type.Integer({ minimum: 0 }),
    'Unix seconds, if it is completed: `created_at`, and how long its agent ran.',
  ),
  status: literals(RESPONSE_STATUSES, { description: '`failed` and `cancelled` responses have no whole answer.' }),
  background: Type.Boolean(),
  conversation: orNothing(Type.Object({ id: Type.String() }), 'As in the request.'),
  error: orNothing(ResponseError, 'Why it failed.'),
  frequency_penalty: fixed(0),
  incomplete_details: never('Always null.'),
  instructions: orNothing(Type.String(), 'As in the request.'),
  max_output_tokens: orNothing(Type.Integer(), 'As in the request. It has no effect.'),
  max_tool_calls: never('Always null.'),
  metadata: Metadata,
  model: Type.String({ description: 'As in the request.' }),
  output: Type.Array(OutputItem, {
    description:
      'The answer as a message, calls of functions of the client, and what the agent thought if `reasoning.summary` was requested.',
  }),
  parallel_tool_calls: Type.Boolean({ description: 'As in the request.' }),
  presence_penalty: fixed(0),
  previous_response_id: orNothing(Type.String(), 'As in the request.'),
  prompt_cache_key: never('Always null.'),
  reasoning: Type.Object({
    effort: orNothing(Type.String(), 'As in the request. It has no effect.'),
    summary: orNothing(Type.String(), 'As in the request.'),
  }),
  safety_identifier: never('Always null.'),
  service_tier: fixed('default'),
  store: Type.Boolean({ description: 'Whether it can be read again.' }),
  temperature: fixed(1),
  text: Type.Object({ format: Type.Unsafe<JsonObject>({ type: 'object', description: 'As in the request.' }) }),
  tool_choice: fixed('auto'),
  tools: Type.Array(Type.Unknown(), { maxItems: 0, description: 'Always empty.' }),
  top_logprobs: fixed(0),
  top_p: fixed(1),
  truncation: fixed('disabled'),
  usage: orNothing(ResponseUsage, 'Null until the response is completed.'),
})
export type ResponseObject = Omit<Message<typeof ResponseObject>, 'text' | 'output' | 'tools'> & {
  readonly text: { readonly format: JsonObject }
  readonly output: readonly OutputItem[]
  readonly tools: readonly never[]
}

const event = <const T extends string, P extends TProperties>(type: T, fields: P) =>
  namedObject(eventName(type), {
    type: Type.Literal(type),
    sequence_number: count('Counts from 0. `starting_after` continues after it.'),
    ...fields,
  })

/** `response.output_text.delta` is called `ResponseOutputTextDeltaEvent`. */
function eventName(type: string): string {
  return `${type.replace(/(?:^|[._])([a-z])/g, (_, letter: string) => letter.toUpperCase())}Event`
}

const ITEM = { output_index: count('The index in `output`.') }
const PART = { ...ITEM, item_id: Type.String(), content_index: count() }
const SUMMARY_PART = { ...ITEM, item_id: Type.String(), summary_index: count() }
const whole = { response: ResponseObject }
const logprobs = Type.Array(Type.Unknown(), { maxItems: 0, description: 'Always empty.' })

export const ResponseStreamEvent = named(
  'ResponseStreamEvent',
  tagged('type', [
    event('response.created', whole),
    event('response.in_progress', whole),
    event('response.output_item.added', { ...ITEM, item: OutputItem }),
    event('response.reasoning_summary_part.added', { ...SUMMARY_PART, part: SummaryText }),
    event('response.reasoning_summary_text.delta', { ...SUMMARY_PART, delta: Type.String() }),
    event('response.reasoning_summary_text.done', { ...SUMMARY_PART, text: Type.String() }),
    event('response.reasoning_summary_part.done', { ...SUMMARY_PART, part: SummaryText }),
    event('response.content_part.added', { ...PART, part: OutputText }),
    event('response.output_text.delta', { ...PART, delta: Type.String(), logprobs }),
    event('response.output_text.done', { ...PART, text: Type.String(), logprobs }),
    event('response.content_part.done', { ...PART, part: OutputText }),
    event('response.function_call_arguments.delta', { ...ITEM, item_id: Type.String(), delta: Type.String() }),
    event('response.function_call_arguments.done', {
      ...ITEM,
      item_id: Type.String(),
      name: Type.String(),
      arguments: Type.String(),
    }),
    event('response.custom_tool_call_input.delta', { ...ITEM, item_id: Type.String(), delta: Type.String() }),
    event('response.custom_tool_call_input.done', { ...ITEM, item_id: Type.String(), input: Type.String() }),
    event('response.output_item.done', { ...ITEM, item: OutputItem }),
    event('response.completed', whole),
    event('response.failed', whole),
    event('response.incomplete', whole),
  ]),
)

/** An event before it has its number. */
export type ResponseEvent = { type: string } & Readonly<Record<string, unknown>>
