import { Type } from 'typebox'
import { Delivered } from '../agents/adapter/agent.shape.ts'
import { type Message, named } from '../kit/shape.ts'

export const MessageSent = named(
  'MessageSent',
  Type.Object({
    execution_id: Type.String({ description: 'The complete id of the execution.' }),
    message_id: Type.String({ description: 'The id of the message: its `user_message` events have the same.' }),
    delivered: Delivered,
  }),
  'When an agent gets a message.',
)
export type MessageSent = Message<typeof MessageSent>
