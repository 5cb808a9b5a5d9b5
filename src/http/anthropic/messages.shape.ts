import { type TProperties, Type } from 'typebox'
import type { JsonRecord } from '../../agents/adapter/json-fields.ts'
import { literals, named, namedObject, type Message as Read, stated, tagged } from '../../kit/shape.ts'
import { AGENT_ERRORS, BODY_ERRORS } from '../api-description/error-responses.shape.ts'
import {
  eventStream,
  IDEMPOTENCY_KEY,
  jsonResponse,
  type Operation,
  operation,
  type Parameter,
} from '../api-description/operation.shape.ts'
import {
  AnySchema,
  COMPATIBLE_REQUEST,
  FormatType,
  ignored,
  MODEL_RULES,
  orNull,
  REPLY_HEADERS,
  TARGET_HEADERS,
  TextContent,
} from '../compatible/conversation.shape.ts'
import { MessageError } from '../errors/error-body.shape.ts'
import { eventFrame } from '../response/sse-frames.ts'

const MessageTurn = namedObject('MessageTurn', {
  role: Type.String({
    minLength: 1,
    description: '`user` or `assistant`.',
    ...stated({ values: ['user', 'assistant'] }),
  }),
  content: TextContent,
})

const MESSAGES = Type.Array(MessageTurn, {
  minItems: 1,
  description: 'The conversation, with at least one user message.',
})

const OutputFormat = Type.Object({ type: FormatType, schema: orNull(AnySchema, 'The schema.') })

export const MessageRequest = namedObject('MessageRequest', {
  ...COMPATIBLE_REQUEST,
  max_tokens: Type.Unknown({ description: 'Required, but ignored.' }),
  messages: MESSAGES,
  system: orNull(TextContent, 'The system prompt.'),
  mcp_servers: orNull(Type.Array(Type.Unknown()), 'Refused or ignored, like `tools`.'),
  output_format: orNull(OutputFormat, 'The format of the answer; for claude and codex.'),
  output_config: orNull(
    Type.Object({ format: orNull(OutputFormat, 'The same as `output_format`.') }),
    'Only `format` is used.',
  ),
  temperature: ignored(),
  top_p: ignored(),
  top_k: ignored(),
  stop_sequences: ignored(),
  metadata: ignored(),
})
export type MessageRequest = Read<typeof MessageRequest>

const tokens = Type.Integer({
  minimum: 0,
  description: 'Estimated as a quarter of the bytes if the agent reports no usage.',
})

const TextBlock = Type.Object({ type: Type.Literal('text'), text: Type.String() })

const ToolUseBlock = Type.Object({
  type: Type.Literal('tool_use'),
  id: Type.String({ description: 'The id to answer with, in a `tool_result`.' }),
  name: Type.String({ description: 'The name of the function.' }),
  input: Type.Unsafe<JsonRecord>({ type: 'object', description: 'The arguments.' }),
})

const Block = tagged('type', [TextBlock, ToolUseBlock])

const StopReason = literals(['end_turn', 'tool_use'], {
  description: '`tool_use`: the turn continues when the client sends the results.',
})

const MESSAGE = {
  id: Type.String({ pattern: '^msg_.{24,}$' }),
  type: Type.Literal('message'),
  role: Type.Literal('assistant'),
  content: Type.Array(Block),
  model: Type.String({ description: 'The model of the request.' }),
} satisfies TProperties

const count = (description: string) => Type.Integer({ minimum: 0, description })

const usage = Type.Object({
  input_tokens: tokens,
  cache_creation_input_tokens: count(
    'Tokens of the prompt that were written to a cache. `input_tokens` leaves them out.',
  ),
  cache_read_input_tokens: count('Tokens of the prompt that came from a cache. `input_tokens` leaves them out.'),
  output_tokens: tokens,
})

/** The first event is sent before the counts are known. */
const noUsage = Type.Object({ input_tokens: count('Always 0.'), output_tokens: count('Always 0.') })

export const AnthropicMessage = namedObject('Message', {
  ...MESSAGE,
  stop_reason: StopReason,
  stop_sequence: Type.Null(),
  usage,
})
export type AnthropicMessage = Read<typeof AnthropicMessage>

const index = Type.Integer({ minimum: 0 })

const event = <T extends string, P extends TProperties>(type: T, fields: P) =>
  namedObject(`${type.replace(/(?:^|_)([a-z])/g, (_, letter: string) => letter.toUpperCase())}StreamEvent`, {
    type: Type.Literal(type),
    ...fields,
  })

const StartedMessage = Type.Object({ ...MESSAGE, stop_reason: Type.Null(), stop_sequence: Type.Null(), usage: noUsage })

/** The data of a stream event. Its `type` is also the name of the event. */
export const MessageStreamEvent = named(
  'MessageStreamEvent',
  tagged('type', [
    event('message_start', { message: StartedMessage }),
    event('content_block_start', { index, content_block: Block }),
    event('ping', {}),
    event('content_block_delta', {
      index,
      delta: tagged('type', [
        Type.Object({ type: Type.Literal('text_delta'), text: Type.String() }),
        Type.Object({ type: Type.Literal('input_json_delta'), partial_json: Type.String() }),
      ]),
    }),
    event('content_block_stop', { index }),
    event('message_delta', {
      delta: Type.Object({ stop_reason: StopReason, stop_sequence: Type.Null() }),
      usage,
    }),
    event('message_stop', {}),
    event('error', { error: MessageError }),
  ]),
)
export type MessageStreamEvent = Read<typeof MessageStreamEvent>

const API_VERSION: Parameter = {
  name: 'anthropic-version',
  in: 'header',
  shape: Type.String({
    description: 'The version of the API, a date.',
    ...stated({ pattern: '^\\d{4}-\\d{2}-\\d{2}$' }),
  }),
  isRequired: true,
  example: '2023-06-01',
}

const request: MessageRequest = {
  model: 'claude',
  max_tokens: 1024,
  system: 'Answer in one sentence.',
  messages: [{ role: 'user', content: 'What is a monad?' }],
}

const message: AnthropicMessage = {
  id: 'msg_4f1f0c5d9b8a4d67a3f2c1e0',
  type: 'message',
  role: 'assistant',
  content: [{ type: 'text', text: 'A way to chain computations.' }],
  model: 'claude',
  stop_reason: 'end_turn',
  stop_sequence: null,
  usage: {
    input_tokens: 312,
    cache_creation_input_tokens: 0,
    cache_read_input_tokens: 1792,
    output_tokens: 57,
  },
}

const events: Record<string, MessageStreamEvent> = {
  message_start: {
    type: 'message_start',
    message: { ...message, content: [], stop_reason: null, usage: { input_tokens: 0, output_tokens: 0 } },
  },
  content_block_delta: { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: 'A way to' } },
  message_delta: {
    type: 'message_delta',
    delta: { stop_reason: 'end_turn', stop_sequence: null },
    usage: message.usage,
  },
}

export const CountTokensRequest = namedObject('CountTokensRequest', {
  model: COMPATIBLE_REQUEST.model,
  messages: MESSAGES,
  system: orNull(TextContent, 'The system prompt.'),
  tools: orNull(Type.Array(Type.Unknown()), 'Counted, although message requests with tools are refused.'),
})
export type CountTokensRequest = Read<typeof CountTokensRequest>

const TokenCount = namedObject('TokenCount', {
  input_tokens: Type.Integer({ minimum: 0, description: 'Estimated as a quarter of the bytes of all texts.' }),
})
export type TokenCount = Read<typeof TokenCount>

const countRequest: CountTokensRequest = { model: 'claude', messages: [{ role: 'user', content: 'What is a monad?' }] }

export const OPERATIONS: readonly Operation[] = [
  operation('post /anthropic/v1/messages', 'anthropicCreateMessage', {
    tag: 'message',
    summary: 'Create a message',
    description: MODEL_RULES,
    parameters: [API_VERSION, IDEMPOTENCY_KEY, ...TARGET_HEADERS],
    body: { shape: MessageRequest, examples: { whole: request, stream: { ...request, stream: true } } },
    responses: {
      200: {
        description:
          'The message. With `stream`, `event:` and `data:` lines from `message_start` to `message_stop`; the data have ' +
          'the event name as `type`. If the agent fails, the stream ends with `error` and without `message_stop`.',
        headers: REPLY_HEADERS,
        content: {
          'application/json': { shape: AnthropicMessage, examples: { example: message } },
          'text/event-stream': eventStream(
            {
              shape: MessageStreamEvent,
              description: 'Server-sent events, each with a name and JSON as data (`MessageStreamEvent`).',
            },
            { events, frame: eventFrame },
          ),
        },
      },
    },
    errors: ['NotFound', ...AGENT_ERRORS],
  }),
  operation('post /anthropic/v1/messages/count_tokens', 'anthropicCountTokens', {
    tag: 'message',
    summary: 'Estimate the tokens of a message request',
    description:
      'An estimate, as the header `X-Drover-Warning` says: agents cannot count the tokens of a prompt. No agent runs.',
    parameters: [API_VERSION],
    body: { shape: CountTokensRequest, examples: { example: countRequest } },
    responses: {
      200: {
        ...jsonResponse('The estimate.', TokenCount, { input_tokens: 4 }),
        headers: ['X-Drover-Backend', 'X-Drover-Warning'],
      },
    },
    errors: BODY_ERRORS,
  }),
]
