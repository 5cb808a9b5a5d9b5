import { Type } from 'typebox'
import {
  literals,
  type Message,
  named,
  namedObject,
  namedStrict,
  optionalChoice,
  optionalInteger,
  optionalText,
  type Static,
  strict,
} from '../../kit/shape.ts'
import { AGENT_ERRORS, BODY_ERRORS, SESSION_ERRORS } from '../api-description/error-responses.shape.ts'
import {
  EXAMPLE,
  eventStream,
  IDEMPOTENCY_KEY,
  jsonResponse,
  type Operation,
  operation,
  pathParameter,
  toQueryParameters,
} from '../api-description/operation.shape.ts'
import {
  AnySchema,
  COMPATIBLE_REQUEST,
  FormatType,
  ignored,
  MAX_TYPE_LENGTH,
  orNull,
  REPLY_HEADERS,
  TARGET_HEADERS,
  TextContent,
} from '../compatible/conversation.shape.ts'
import { eventFrame } from '../response/sse-frames.ts'
import { Metadata, ResponseObject, ResponseStreamEvent, ResponseUsage } from './response-object.shape.ts'

const InputItem = named(
  'ResponseInputItem',
  Type.Object(
    {
      type: orNull(
        Type.String({ maxLength: MAX_TYPE_LENGTH }),
        '`message` (the default), `compaction`, `reasoning` (ignored), `item_reference`, or `function_call` and `function_call_output` with ' +
          '`server.client_tools: bridge`. Other items of tools are ignored, or refused with `refuse`. Other types are refused.',
      ),
      id: orNull(
        Type.String(),
        'For `item_reference`: the id of a message of an earlier response, of its output or its input.',
      ),
      role: orNull(Type.String(), 'For `message`: `user`, `assistant`, `system` or `developer`.'),
      content: orNull(TextContent, 'For `message`.'),
      encrypted_content: orNull(Type.String(), 'For `compaction`: as `POST …/responses/compact` has returned it.'),
      call_id: Type.Optional(Type.Unknown({ description: 'The call of a function.' })),
      output: Type.Optional(
        Type.Unknown({ description: 'For `function_call_output`: a text, or a list of texts and images.' }),
      ),
    },
    { description: 'One item of the input.' },
  ),
)

/** Ids of drover have 29 characters, those of the vendor about 60. */
const MAX_ID_LENGTH = 128

export const ResponseRequest = namedObject('ResponseRequest', {
  ...COMPATIBLE_REQUEST,
  input: Type.Union([Type.String(), Type.Array(InputItem, { minItems: 1 })], {
    description: 'A text, or the items of a conversation with at least one user message.',
  }),
  instructions: orNull(Type.String(), 'The system prompt.'),
  previous_response_id: orNull(
    Type.String({ maxLength: MAX_ID_LENGTH }),
    'Continues the conversation of this response.',
  ),
  store: orNull(
    Type.Boolean(),
    'Whether the response is stored, and with it a session. The default is true. `previous_response_id` needs it. A dry run is never stored.',
  ),
  background: orNull(Type.Boolean(), 'Whether the agent keeps running without the client. Needs `store`.'),
  metadata: orNull(Metadata, 'Metadata of the client; the response repeats it.'),
  text: orNull(
    Type.Object({
      format: orNull(
        Type.Object({ type: FormatType, schema: orNull(AnySchema, 'For `json_schema`.') }),
        'The format of the answer. `json_schema` and `json_object` are for claude and codex.',
      ),
    }),
    'Only `format` is used.',
  ),
  reasoning: orNull(
    Type.Object({
      effort: ignored(),
      summary: orNull(Type.String(), 'If it is given, the output has what the agent thought.'),
    }),
    'Only `summary` is used.',
  ),
  conversation: orNull(
    Type.Union([
      Type.String({ maxLength: MAX_ID_LENGTH }),
      Type.Object({ id: Type.String({ maxLength: MAX_ID_LENGTH }) }),
    ]),
    'The conversation that the response is the next turn of: its id, or an object with it.',
  ),
  prompt: ignored('Refused: there are no prompt templates.'),
  max_output_tokens: ignored(),
  max_tool_calls: ignored(),
  temperature: ignored(),
  top_p: ignored(),
  top_logprobs: ignored(),
  truncation: ignored(),
  include: ignored(),
  service_tier: ignored(),
  user: ignored(),
})
export type ResponseRequest = Message<typeof ResponseRequest>

export const CompactRequest = namedObject('ResponseCompactRequest', {
  input: orNull(Type.Union([Type.String(), Type.Array(InputItem)]), 'A text, or the items of a conversation.'),
  previous_response_id: orNull(
    Type.String({ maxLength: MAX_ID_LENGTH }),
    'The conversation up to this response, before the input.',
  ),
  model: Type.String({ description: 'Required, as in the public specification. No model is asked.' }),
  instructions: ignored('Send them with the next request.'),
})
export type CompactRequest = Message<typeof CompactRequest>

const CompactedResponse = namedStrict('CompactedResponse', {
  id: Type.String(),
  object: Type.Literal('response.compaction'),
  created_at: Type.Integer({ minimum: 0, description: 'Unix seconds.' }),
  output: Type.Array(
    strict({
      type: Type.Literal('compaction'),
      id: Type.String(),
      encrypted_content: Type.String({ description: 'The conversation, as an opaque text.' }),
    }),
    { description: 'One item. Send it as the beginning of the next input.' },
  ),
  usage: ResponseUsage,
})
export type CompactedResponse = Message<typeof CompactedResponse>

/** An SDK may add other parameters of the vendor's API, so unknown ones are ignored. */
export const ResponseQuery = Type.Object({
  stream: optionalChoice('Whether to send the events of the response.', ['true', 'false']),
  starting_after: optionalInteger('With `stream`: only events with a greater `sequence_number`.', { minimum: 0 }),
})
export type ResponseQuery = Static<typeof ResponseQuery>

const MAX_ITEMS = 100

export const InputItemsQuery = Type.Object({
  limit: optionalInteger('Items of a page.', { minimum: 1, maximum: MAX_ITEMS, default: 20 }),
  order: optionalChoice('By their place in the input.', ['asc', 'desc'], { default: 'desc' }),
  after: optionalText('Only items that come after the one with this id.', { maxLength: MAX_ID_LENGTH }),
})
export type InputItemsQuery = Static<typeof InputItemsQuery>

export const StoredItem = namedObject('ResponseStoredItem', {
  type: Type.Literal('message'),
  id: Type.String(),
  status: Type.Literal('completed'),
  role: literals(['user', 'assistant', 'system', 'developer']),
  content: Type.Array(Type.Object({ type: literals(['input_text', 'output_text']), text: Type.String() })),
})
export type StoredItem = Message<typeof StoredItem>

const ItemList = namedObject('ResponseItemList', {
  object: Type.Literal('list'),
  data: Type.Array(StoredItem),
  first_id: Type.Union([Type.String(), Type.Null()]),
  last_id: Type.Union([Type.String(), Type.Null()]),
  has_more: Type.Boolean(),
})
export type ItemList = Message<typeof ItemList>

const ResponseDeleted = namedStrict('ResponseDeleted', {
  id: Type.String(),
  object: Type.Literal('response'),
  deleted: Type.Literal(true),
})
export type ResponseDeleted = Message<typeof ResponseDeleted>

const request: ResponseRequest = { model: 'claude', instructions: 'Answer in one sentence.', input: 'What is a monad?' }

const RESPONSE_ID = `resp_${EXAMPLE.executionId.slice('exec_'.length)}`
const ITEM_ID = `msg_${EXAMPLE.executionId.slice('exec_'.length)}00`

const part = { type: 'output_text', text: 'A way to chain computations.', annotations: [], logprobs: [] }
const item = {
  type: 'message',
  id: ITEM_ID,
  status: 'completed',
  role: 'assistant',
  content: [part],
  phase: 'final_answer',
}

const { phase: _, ...begunItem } = item

const response = {
  id: RESPONSE_ID,
  object: 'response',
  created_at: EXAMPLE.unixSeconds,
  completed_at: EXAMPLE.unixSeconds + 8,
  status: 'completed',
  background: false,
  conversation: null,
  error: null,
  frequency_penalty: 0,
  incomplete_details: null,
  instructions: 'Answer in one sentence.',
  max_output_tokens: null,
  max_tool_calls: null,
  metadata: {},
  model: 'claude',
  output: [item],
  parallel_tool_calls: true,
  presence_penalty: 0,
  previous_response_id: null,
  prompt_cache_key: null,
  reasoning: { effort: null, summary: null },
  safety_identifier: null,
  service_tier: 'default',
  store: true,
  temperature: 1,
  text: { format: { type: 'text' } },
  tool_choice: 'auto',
  tools: [],
  top_logprobs: 0,
  top_p: 1,
  truncation: 'disabled',
  usage: {
    input_tokens: 2104,
    input_tokens_details: { cached_tokens: 1792 },
    output_tokens: 57,
    output_tokens_details: { reasoning_tokens: 0 },
    total_tokens: 2161,
  },
}

const begun = { ...response, completed_at: null, status: 'in_progress', output: [], usage: null }
const at = { output_index: 0, item_id: ITEM_ID, content_index: 0 }
const events = [
  { type: 'response.created', sequence_number: 0, response: begun },
  { type: 'response.in_progress', sequence_number: 1, response: begun },
  {
    type: 'response.output_item.added',
    sequence_number: 2,
    output_index: 0,
    item: { ...begunItem, status: 'in_progress', content: [] },
  },
  { type: 'response.content_part.added', sequence_number: 3, ...at, part: { ...part, text: '' } },
  { type: 'response.output_text.delta', sequence_number: 4, ...at, delta: part.text, logprobs: [] },
  { type: 'response.output_text.done', sequence_number: 5, ...at, text: part.text, logprobs: [] },
  { type: 'response.content_part.done', sequence_number: 6, ...at, part },
  { type: 'response.output_item.done', sequence_number: 7, output_index: 0, item },
  { type: 'response.completed', sequence_number: 8, response },
]

const contents = {
  'application/json': { shape: ResponseObject, examples: { example: response } },
  'text/event-stream': eventStream(
    { shape: ResponseStreamEvent, description: 'Server-sent events with JSON as data (`ResponseStreamEvent`).' },
    { events: Object.fromEntries(events.map((each) => [each.type, each])), frame: eventFrame },
  ),
}

const ID = pathParameter('id', Type.String({ description: 'The id of the response.' }), RESPONSE_ID)

export const OPERATIONS: readonly Operation[] = [
  operation('post /openai/v1/responses', 'openaiCreateResponse', {
    tag: 'chat',
    summary: 'Create a response',
    description:
      '`model` selects the backend as for chat completions. Unless `store` is false, the response and a session are ' +
      'stored. `previous_response_id` continues that session; if it continued since, or if another backend answers, a new ' +
      'session gets the conversation as text.',
    parameters: [IDEMPOTENCY_KEY, ...TARGET_HEADERS],
    body: {
      shape: ResponseRequest,
      examples: { whole: request, stream: { ...request, stream: true }, background: { ...request, background: true } },
    },
    responses: {
      200: {
        description:
          'The response. With `stream`, its events: the last is `response.completed`, `response.failed` or, if it was ' +
          'canceled, `response.incomplete`. With `background` and without `stream`, the response as it is now.',
        headers: REPLY_HEADERS,
        content: contents,
      },
    },
    errors: ['NotFound', ...AGENT_ERRORS],
  }),
  operation('post /openai/v1/responses/compact', 'openaiCompactResponse', {
    tag: 'chat',
    summary: 'Compact a conversation',
    description:
      'Returns one item that stands for the conversation: its latest turns as quoted text, at most 100,000 characters. No model is ' +
      'asked, and nothing is stored. System messages and images are not in it.',
    body: { shape: CompactRequest, examples: { example: { model: 'claude', previous_response_id: RESPONSE_ID } } },
    responses: {
      200: jsonResponse('The item.', CompactedResponse, {
        id: RESPONSE_ID,
        object: 'response.compaction',
        created_at: EXAMPLE.unixSeconds,
        output: [
          { type: 'compaction', id: `cmp_${RESPONSE_ID.slice('resp_'.length)}`, encrypted_content: 'drover.VXNlcjo' },
        ],
        usage: {
          input_tokens: 0,
          input_tokens_details: { cached_tokens: 0 },
          output_tokens: 0,
          output_tokens_details: { reasoning_tokens: 0 },
          total_tokens: 0,
        },
      }),
    },
    errors: [...BODY_ERRORS, 'Conflict'],
  }),
  operation('get /openai/v1/responses/{id}', 'openaiGetResponse', {
    tag: 'chat',
    summary: 'Get a response',
    description: 'With `stream=true`, its events from the beginning, or after `starting_after`, until it ends.',
    parameters: [ID, ...toQueryParameters(ResponseQuery)],
    responses: { 200: { description: 'The response, or its events.', content: contents } },
    errors: SESSION_ERRORS,
  }),
  operation('delete /openai/v1/responses/{id}', 'openaiDeleteResponse', {
    tag: 'chat',
    summary: 'Delete a response',
    description: 'Its session is deleted with its last response. A running response must be canceled first.',
    parameters: [ID],
    responses: {
      200: jsonResponse('It is deleted.', ResponseDeleted, { id: RESPONSE_ID, object: 'response', deleted: true }),
    },
    errors: SESSION_ERRORS,
  }),
  operation('post /openai/v1/responses/{id}/cancel', 'openaiCancelResponse', {
    tag: 'chat',
    summary: 'Cancel a response',
    description: 'Stops its agent. A response that has ended is not changed.',
    parameters: [ID],
    responses: { 200: jsonResponse('The response as it is now.', ResponseObject, { ...begun, status: 'cancelled' }) },
    errors: SESSION_ERRORS,
  }),
  operation('get /openai/v1/responses/{id}/input_items', 'openaiListInputItems', {
    tag: 'chat',
    summary: 'List the input of a response',
    parameters: [ID, ...toQueryParameters(InputItemsQuery)],
    responses: {
      200: jsonResponse('The messages of its input.', ItemList, {
        object: 'list',
        data: [
          {
            type: 'message',
            id: `${ITEM_ID}in`,
            status: 'completed',
            role: 'user',
            content: [{ type: 'input_text', text: 'What is a monad?' }],
          },
        ],
        first_id: `${ITEM_ID}in`,
        last_id: `${ITEM_ID}in`,
        has_more: false,
      } satisfies ItemList),
    },
    errors: SESSION_ERRORS,
  }),
]
