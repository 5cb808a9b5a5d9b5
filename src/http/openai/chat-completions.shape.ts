import { Type } from 'typebox'
import { literals, type Message, named, namedObject, optionalList, optionalText, stated } from '../../kit/shape.ts'
import { AGENT_ERRORS } from '../api-description/error-responses.shape.ts'
import { EXAMPLE, eventStream, IDEMPOTENCY_KEY, type Operation, operation } from '../api-description/operation.shape.ts'
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
import { ChatError } from '../errors/error-body.shape.ts'
import { dataFrame } from '../response/sse-frames.ts'

const ChatMessage = namedObject('ChatMessage', {
  role: Type.String({
    minLength: 1,
    description: '`system`, `developer`, `user`, `assistant`, or `tool` for the result of a call.',
    ...stated({ values: ['system', 'developer', 'user', 'assistant', 'tool'] }),
  }),
  content: Type.Optional(
    Type.Union([TextContent, Type.Null()], { description: 'Required, except in a message with tool calls.' }),
  ),
  tool_calls: Type.Optional(Type.Unknown({ description: 'The calls of an earlier answer.' })),
  tool_call_id: Type.Optional(Type.Unknown({ description: 'The call that a message with the role `tool` answers.' })),
})

export const ChatRequest = namedObject('ChatRequest', {
  ...COMPATIBLE_REQUEST,
  messages: Type.Array(ChatMessage, {
    minItems: 1,
    description: 'The conversation, with at least one user message.',
  }),
  stream_options: orNull(
    Type.Object({ include_usage: orNull(Type.Boolean(), 'Whether the last chunk contains the token usage.') }),
    'Only used if `stream` is true.',
  ),
  response_format: orNull(
    Type.Object({
      type: FormatType,
      json_schema: orNull(Type.Object({ schema: orNull(AnySchema, 'The schema.') }), 'For `json_schema`.'),
    }),
    'The format of the answer. `json_schema` and `json_object` are for claude and codex.',
  ),
  functions: orNull(Type.Array(Type.Unknown()), 'Refused or ignored, like `tools`, whose old name it is.'),
  max_tokens: ignored(),
  max_completion_tokens: ignored(),
  temperature: ignored(),
  top_p: ignored(),
  n: ignored('Accepted and ignored: there is always one completion.'),
  stop: ignored(),
  presence_penalty: ignored(),
  frequency_penalty: ignored(),
  logit_bias: ignored(),
  user: ignored(),
})
export type ChatRequest = Message<typeof ChatRequest>

const count = (description?: string) => Type.Integer({ minimum: 0, ...(description !== undefined && { description }) })

export const ChatUsage = named(
  'ChatUsage',
  Type.Object(
    {
      prompt_tokens: count(),
      completion_tokens: count(),
      total_tokens: count(),
      prompt_tokens_details: Type.Object({ cached_tokens: count('The part of the prompt that came from a cache.') }),
      completion_tokens_details: Type.Object({
        reasoning_tokens: count('The part of the completion that is thinking.'),
      }),
    },
    { description: 'Estimated as a quarter of the bytes if the agent reports no usage.' },
  ),
)
export type ChatUsage = Message<typeof ChatUsage>

const id = Type.String({ pattern: '^chatcmpl-.{24,}$' })
const created = Type.Integer({ minimum: 0, description: 'Unix seconds.' })
const model = Type.String({ description: 'The model of the request.' })
const index = Type.Integer({ minimum: 0 })

const FinishReason = literals(['stop', 'tool_calls'], {
  description: '`tool_calls`: the turn continues when the client sends the results.',
})

const functionName = Type.String({ description: 'The name of the function.' })
const functionInput = Type.String({ description: 'The arguments, as JSON.' })

const ChatToolCall = namedObject('ChatToolCall', {
  id: Type.String(),
  type: Type.Literal('function'),
  function: Type.Object({ name: functionName, arguments: functionInput }),
})

const ChatToolCallDelta = namedObject('ChatToolCallDelta', {
  index,
  id: optionalText('In the first piece.'),
  type: Type.Optional(Type.Literal('function')),
  function: Type.Object({
    name: optionalText('In the first piece.'),
    arguments: Type.String({ description: 'A piece of the arguments.' }),
  }),
})

export const ChatCompletion = namedObject('ChatCompletion', {
  id,
  object: Type.Literal('chat.completion'),
  created,
  model,
  choices: Type.Array(
    Type.Object({
      index,
      message: Type.Object({
        role: Type.Literal('assistant'),
        content: Type.Union([Type.String(), Type.Null()], { description: 'Null if there are only tool calls.' }),
        tool_calls: optionalList('Functions of the client, which runs them and sends the results.', ChatToolCall),
      }),
      finish_reason: FinishReason,
    }),
  ),
  usage: ChatUsage,
})
export type ChatCompletion = Message<typeof ChatCompletion>

export const ChatCompletionChunk = namedObject('ChatCompletionChunk', {
  id,
  object: Type.Literal('chat.completion.chunk'),
  created,
  model,
  choices: Type.Array(
    Type.Object({
      index,
      delta: Type.Object({
        role: Type.Optional(Type.Literal('assistant', { description: 'In the first chunk.' })),
        content: optionalText('A piece of the answer.'),
        tool_calls: optionalList('A piece of a tool call.', ChatToolCallDelta),
      }),
      finish_reason: Type.Union([FinishReason, Type.Null()], { description: 'Null before the last chunk.' }),
    }),
  ),
  usage: Type.Optional(
    Type.Union([ChatUsage, Type.Null()], { description: 'Only present if requested. Null before the last chunk.' }),
  ),
})
export type ChatCompletionChunk = Message<typeof ChatCompletionChunk>

/** The last event of a stream whose agent failed. */
const ChatStreamError = namedObject('ChatStreamError', { error: ChatError })

const request: ChatRequest = {
  model: 'claude',
  messages: [
    { role: 'system', content: 'Answer in one sentence.' },
    { role: 'user', content: 'What is a monad?' },
  ],
}

const envelope = <T extends string>(object: T) => ({
  id: 'chatcmpl-4f1f0c5d9b8a4d67a3f2c1e0',
  object,
  created: EXAMPLE.unixSeconds,
  model: 'claude',
})

const completion: ChatCompletion = {
  ...envelope('chat.completion'),
  choices: [
    { index: 0, message: { role: 'assistant', content: 'A way to chain computations.' }, finish_reason: 'stop' },
  ],
  usage: {
    prompt_tokens: 2104,
    completion_tokens: 57,
    total_tokens: 2161,
    prompt_tokens_details: { cached_tokens: 1792 },
    completion_tokens_details: { reasoning_tokens: 0 },
  },
}

const chunk = (delta: ChatCompletionChunk['choices'][number]['delta'], finish: 'stop' | null): ChatCompletionChunk => ({
  ...envelope('chat.completion.chunk'),
  choices: [{ index: 0, delta, finish_reason: finish }],
})

const chunks = {
  role: chunk({ role: 'assistant' }, null),
  content: chunk({ content: 'A way to' }, null),
  last: chunk({}, 'stop'),
}

export const OPERATIONS: readonly Operation[] = [
  operation('post /openai/v1/chat/completions', 'openaiChatCompletions', {
    tag: 'chat',
    summary: 'Complete a chat',
    description: MODEL_RULES,
    parameters: [IDEMPOTENCY_KEY, ...TARGET_HEADERS],
    body: { shape: ChatRequest, examples: { whole: request, stream: { ...request, stream: true } } },
    responses: {
      200: {
        description:
          'The completion. With `stream`, `data:` events: a chunk with the role, chunks with text, a chunk with ' +
          '`finish_reason`, and `data: [DONE]`. If the agent fails, the stream ends with an error and without `[DONE]`.',
        headers: REPLY_HEADERS,
        content: {
          'application/json': { shape: ChatCompletion, examples: { example: completion } },
          'text/event-stream': eventStream(
            {
              shape: Type.Union([ChatCompletionChunk, ChatStreamError]),
              description:
                'Server-sent events with JSON as data (`ChatCompletionChunk`), and `data: [DONE]` at the end.',
            },
            { events: chunks, frame: dataFrame },
          ),
        },
      },
    },
    errors: ['NotFound', ...AGENT_ERRORS],
  }),
]
