/** The chat-completion API on the wire. */
import { Type } from 'typebox'
import { literals, type Message, named } from '../../kit/shape.ts'
import { COMPATIBLE_REQUEST, ignored, orNull, TextContent } from '../compatible/compatible.shape.ts'
import { ChatError } from '../errors/problem.shape.ts'

const ChatMessage = named(
  'ChatMessage',
  Type.Object({
    role: Type.String({ minLength: 1, description: '`system`, `developer`, `user` or `assistant`.' }),
    content: Type.Union([TextContent, Type.Null()]),
  }),
)

export const ChatRequest = named(
  'ChatRequest',
  Type.Object({
    ...COMPATIBLE_REQUEST,
    messages: Type.Array(ChatMessage, { minItems: 1, description: 'The conversation; at least one is of the user.' }),
    stream_options: orNull(
      Type.Object({ include_usage: orNull(Type.Boolean(), 'Whether a last chunk tells the usage.') }),
      'Only read where `stream` is true.',
    ),
    functions: orNull(Type.Array(Type.Unknown()), 'Refused unless empty: the old name of `tools`.'),
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
  }),
)
export type ChatRequest = Message<typeof ChatRequest>

const count = () => Type.Integer({ minimum: 0 })

export const ChatUsage = named(
  'ChatUsage',
  Type.Object(
    { prompt_tokens: count(), completion_tokens: count(), total_tokens: count() },
    { description: 'A quarter of the bytes where the agent reports nothing.' },
  ),
)
export type ChatUsage = Message<typeof ChatUsage>

const id = Type.String({ pattern: '^chatcmpl-.{24,}$' })
const created = Type.Integer({ minimum: 0, description: 'Unix seconds.' })
const model = Type.String({ description: 'As the request has it.' })
const index = Type.Integer({ minimum: 0 })

export const ChatCompletion = named(
  'ChatCompletion',
  Type.Object({
    id,
    object: Type.Literal('chat.completion'),
    created,
    model,
    choices: Type.Array(
      Type.Object({
        index,
        message: Type.Object({ role: Type.Literal('assistant'), content: Type.String() }),
        finish_reason: Type.Literal('stop'),
      }),
    ),
    usage: ChatUsage,
  }),
)
export type ChatCompletion = Message<typeof ChatCompletion>

export const ChatCompletionChunk = named(
  'ChatCompletionChunk',
  Type.Object({
    id,
    object: Type.Literal('chat.completion.chunk'),
    created,
    model,
    choices: Type.Array(
      Type.Object({
        index,
        delta: Type.Object({
          role: Type.Optional(Type.Literal('assistant', { description: 'In the first chunk.' })),
          content: Type.Optional(Type.String({ description: 'A piece of the answer.' })),
        }),
        finish_reason: Type.Union([Type.Literal('stop'), Type.Null()], { description: 'Null until the last chunk.' }),
      }),
    ),
    usage: Type.Optional(
      Type.Union([ChatUsage, Type.Null()], { description: 'Where it was asked for: null until the very last chunk.' }),
    ),
  }),
)
export type ChatCompletionChunk = Message<typeof ChatCompletionChunk>

/** What a stream carries instead of its end when the agent fails after the first chunk. */
export const ChatStreamError = named('ChatStreamError', Type.Object({ error: ChatError }))
export type ChatStreamError = Message<typeof ChatStreamError>

export const Model = named(
  'Model',
  Type.Object({
    id: Type.String({ description: 'The name of a backend.' }),
    object: Type.Literal('model'),
    created,
    owned_by: literals(['drover']),
  }),
)
export type Model = Message<typeof Model>

export const ModelList = named(
  'ModelList',
  Type.Object({ object: Type.Literal('list'), data: Type.Array(Model, { description: 'One for each backend.' }) }),
)
export type ModelList = Message<typeof ModelList>
