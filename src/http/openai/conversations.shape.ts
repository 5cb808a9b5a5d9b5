import { Type } from 'typebox'
import type { JsonObject } from '../../kit/json-value.ts'
import { type Message, named, namedObject, namedStrict } from '../../kit/shape.ts'
import { BODY_ERRORS, SESSION_ERRORS } from '../api-description/error-responses.shape.ts'
import {
  EXAMPLE,
  jsonResponse,
  type Operation,
  operation,
  pathParameter,
  toQueryParameters,
} from '../api-description/operation.shape.ts'
import { orNull } from '../compatible/conversation.shape.ts'
import { Metadata, OutputItem } from './response-object.shape.ts'
import { InputItemsQuery, StoredItem } from './responses.shape.ts'

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

const ConversationItem = named(
  'ConversationItem',
  Type.Union([StoredItem, OutputItem]),
  'A message that the agent got, or an item of the output of a response.',
)
export type ConversationItem = StoredItem | OutputItem

const ConversationItemList = namedObject('ConversationItemList', {
  object: Type.Literal('list'),
  data: Type.Array(ConversationItem),
  first_id: Type.Union([Type.String(), Type.Null()]),
  last_id: Type.Union([Type.String(), Type.Null()]),
  has_more: Type.Boolean(),
})
export type ConversationItemList = Omit<Message<typeof ConversationItemList>, 'data'> & {
  readonly data: readonly ConversationItem[]
}

const ITEM_ID = `msg_${EXAMPLE.executionId.slice('exec_'.length)}in0`

const ITEM = pathParameter('item', Type.String({ description: 'The id of the item.' }), ITEM_ID)

const item = {
  type: 'message',
  id: ITEM_ID,
  status: 'completed',
  role: 'user',
  content: [{ type: 'input_text', text: 'What is a monad?' }],
} satisfies ConversationItem

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
  operation('get /openai/v1/conversations/{id}/items', 'openaiListConversationItems', {
    tag: 'chat',
    summary: 'List the items of a conversation',
    description: 'The input and the output of its responses. Results of functions of the client are not stored.',
    parameters: [ID, ...toQueryParameters(InputItemsQuery)],
    responses: {
      200: jsonResponse('A page of items.', ConversationItemList, {
        object: 'list',
        data: [item],
        first_id: ITEM_ID,
        last_id: ITEM_ID,
        has_more: false,
      }),
    },
    errors: SESSION_ERRORS,
  }),
  operation('post /openai/v1/conversations/{id}/items', 'openaiCreateConversationItems', {
    tag: 'chat',
    summary: 'Add items to a conversation',
    description: 'Always refused: an agent gets them with the input of the next response.',
    parameters: [ID],
    responses: {},
    errors: [...SESSION_ERRORS, 'TooLarge', 'UnsupportedMediaType'],
  }),
  operation('get /openai/v1/conversations/{id}/items/{item}', 'openaiGetConversationItem', {
    tag: 'chat',
    summary: 'Get an item of a conversation',
    parameters: [ID, ITEM],
    responses: { 200: jsonResponse('The item.', ConversationItem, item) },
    errors: SESSION_ERRORS,
  }),
  operation('delete /openai/v1/conversations/{id}/items/{item}', 'openaiDeleteConversationItem', {
    tag: 'chat',
    summary: 'Delete an item of a conversation',
    description: 'Always refused: the agent has it in its session.',
    parameters: [ID, ITEM],
    responses: {},
    errors: SESSION_ERRORS,
  }),
]
