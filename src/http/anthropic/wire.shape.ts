/** The message API on the wire. */
import { type TProperties, Type } from 'typebox'
import { literals, named, type Message as Read, tagged } from '../../kit/shape.ts'
import { COMPATIBLE_REQUEST, ignored, orNull, TextContent } from '../compatible/compatible.shape.ts'
import { MessageError } from '../errors/problem.shape.ts'

const MessageTurn = named(
  'MessageTurn',
  Type.Object({
    role: Type.String({ minLength: 1, description: '`user` or `assistant`.' }),
    content: TextContent,
  }),
)

export const MessageRequest = named(
  'MessageRequest',
  Type.Object({
    ...COMPATIBLE_REQUEST,
    max_tokens: Type.Unknown({ description: 'Required and ignored, whatever it is.' }),
    messages: Type.Array(MessageTurn, { minItems: 1, description: 'The conversation; at least one is of the user.' }),
    system: orNull(TextContent, 'Who the agent is and how it is to behave.'),
    mcp_servers: orNull(Type.Array(Type.Unknown()), 'Refused unless empty, as `tools` is.'),
    temperature: ignored(),
    top_p: ignored(),
    top_k: ignored(),
    stop_sequences: ignored(),
    metadata: ignored(),
  }),
)
export type MessageRequest = Read<typeof MessageRequest>

const tokens = Type.Integer({ minimum: 0, description: 'A quarter of the bytes where the agent reports nothing.' })

const TextBlock = Type.Object({ type: Type.Literal('text'), text: Type.String() })

const MESSAGE = {
  id: Type.String({ pattern: '^msg_.{24,}$' }),
  type: Type.Literal('message'),
  role: Type.Literal('assistant'),
  content: Type.Array(TextBlock),
  model: Type.String({ description: 'As the request has it.' }),
} satisfies TProperties

const usage = Type.Object({ input_tokens: tokens, output_tokens: tokens })

export const Message = named(
  'Message',
  Type.Object({
    ...MESSAGE,
    stop_reason: Type.Literal('end_turn'),
    stop_sequence: Type.Null(),
    usage,
  }),
)
export type Message = Read<typeof Message>

const index = Type.Integer({ minimum: 0 })

const event = <T extends string, P extends TProperties>(type: T, fields: P) =>
  named(
    `${type.replace(/(?:^|_)([a-z])/g, (_, letter: string) => letter.toUpperCase())}StreamEvent`,
    Type.Object({ type: Type.Literal(type), ...fields }),
  )

const StartedMessage = Type.Object({ ...MESSAGE, stop_reason: Type.Null(), stop_sequence: Type.Null(), usage })

/** The data of one event of a stream. Its `type` is the name of the event. */
export const MessageStreamEvent = named(
  'MessageStreamEvent',
  tagged('type', [
    event('message_start', { message: StartedMessage }),
    event('content_block_start', { index, content_block: TextBlock }),
    event('ping', {}),
    event('content_block_delta', {
      index,
      delta: Type.Object({ type: Type.Literal('text_delta'), text: Type.String() }),
    }),
    event('content_block_stop', { index }),
    event('message_delta', {
      delta: Type.Object({ stop_reason: literals(['end_turn']), stop_sequence: Type.Null() }),
      usage: Type.Object({ output_tokens: tokens }),
    }),
    event('message_stop', {}),
    event('error', { error: MessageError }),
  ]),
)
export type MessageStreamEvent = Read<typeof MessageStreamEvent>
