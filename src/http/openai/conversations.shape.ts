import { Type } from 'typebox'
import type { JsonObject } from '../../kit/json-value.ts'
import { type Message, namedObject, namedStrict } from '../../kit/shape.ts'
import { BODY_ERRORS, SESSION_ERRORS } from '../api-description/error-responses.shape.ts'
import { EXAMPLE, jsonResponse, type Operation, operation, pathParameter } from '../api-description/operation.shape.ts'
import { orNull } from '../compatible/conversation.shape.ts'
import { Metadata } from './response-object.shape.ts'

export const ConversationCreateRequest = namedObject('ConversationCreateRequest', {
  metadata: orNull(Metadata, 'Metadata of the client.'),
  items: orNull(
    Type.Array(Type.Unknown(), { maxItems: 20 }),
    'Must be empty: send them as input of the first response.',
  ),
})
export type ConversationCreateRequest = Message<typeof ConversationCreateRequest>

export const ConversationUpdateRequest = namedObject('ConversationUpdateRequest', { metadata: Metadata })
export type ConversationUpdateRequest = Message<typeof ConversationUpdateRequest>

const ConversationObject = namedStrict('ConversationObject', {
  id: Type.String({ pattern: '^conv_[0-9a-f]{32}$', description: '`conv_` and the id of its session.' }),
  object: Type.Literal('conversation'),
  created_at: Type.Integer({ minimum: 0, description: 'Unix seconds.' }),
  metadata: Type.Unsafe<JsonObject>({ type: 'object', description: 'The metadata of the session.' }),
})
export type ConversationObject = Omit<Message<typeof ConversationObject>, 'metadata'> & {
  readonly metadata: JsonObject
}

const ConversationDeleted = namedStrict('ConversationDeleted', {
  id: Type.String(),
  object: Type.Literal('conversation.deleted'),
  deleted: Type.Literal(true),
})
export type ConversationDeleted = Message<typeof ConversationDeleted>

const CONVERSATION_ID = `conv_${EXAMPLE.sessionId}`

const ID = pathParameter('id', Type.String({ description: 'The id of the conversation.' }), CONVERSATION_ID)

const conversation = {
  id: CONVERSATION_ID,
  object: 'conversation',
  created_at: EXAMPLE.unixSeconds,
  metadata: { ticket: '12' },
} satisfies ConversationObject

const metadata = { metadata: { ticket: '12' } }

export const OPERATIONS: readonly Operation[] = [
  operation('post /openai/v1/conversations', 'openaiCreateConversation', {
    tag: 'chat',
    summary: 'Create a conversation',
    description:
      'A session without a turn. Responses that name it as `conversation` are its turns. The first one chooses the agent.',
    body: { shape: ConversationCreateRequest, examples: { example: metadata } },
    responses: { 200: jsonResponse('The conversation.', ConversationObject, conversation) },
    errors: BODY_ERRORS,
  }),
  operation('get /openai/v1/conversations/{id}', 'openaiGetConversation', {
    tag: 'chat',
    summary: 'Get a conversation',
    parameters: [ID],
    responses: { 200: jsonResponse('The conversation.', ConversationObject, conversation) },
    errors: SESSION_ERRORS,
  }),
  operation('post /openai/v1/conversations/{id}', 'openaiUpdateConversation', {
    tag: 'chat',
    summary: 'Change the metadata of a conversation',
    description: 'Entries replace those of the same name.',
    parameters: [ID],
    body: { shape: ConversationUpdateRequest, examples: { example: metadata } },
    responses: { 200: jsonResponse('The conversation.', ConversationObject, conversation) },
    errors: [...SESSION_ERRORS, 'TooLarge', 'UnsupportedMediaType'],
  }),
  operation('delete /openai/v1/conversations/{id}', 'openaiDeleteConversation', {
    tag: 'chat',
    summary: 'Delete a conversation',
    description: 'Deletes its session with its responses. A conversation with a running turn is not deleted.',
    parameters: [ID],
    responses: {
      200: jsonResponse('It is deleted.', ConversationDeleted, {
        id: CONVERSATION_ID,
        object: 'conversation.deleted',
        deleted: true,
      }),
    },
    errors: SESSION_ERRORS,
  }),
]
