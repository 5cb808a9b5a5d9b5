import { Type } from 'typebox'
import { type Message, named, namedObject } from '../../kit/shape.ts'
import { SESSION_ERRORS } from '../api-description/error-responses.shape.ts'
import {
  EXAMPLE,
  jsonResponse,
  type Operation,
  operation,
  pathParameter,
  toQueryParameters,
} from '../api-description/operation.shape.ts'
import { OutputItem } from './response-object.shape.ts'
import { InputItemsQuery, StoredItem } from './responses.shape.ts'

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

const CONVERSATION = pathParameter(
  'id',
  Type.String({ description: 'The id of the conversation.' }),
  `conv_${EXAMPLE.sessionId}`,
)

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
  operation('get /openai/v1/conversations/{id}/items', 'openaiListConversationItems', {
    tag: 'chat',
    summary: 'List the items of a conversation',
    description: 'The input and the output of its responses. Results of functions of the client are not stored.',
    parameters: [CONVERSATION, ...toQueryParameters(InputItemsQuery)],
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
    parameters: [CONVERSATION],
    responses: {},
    errors: [...SESSION_ERRORS, 'TooLarge', 'UnsupportedMediaType'],
  }),
  operation('get /openai/v1/conversations/{id}/items/{item}', 'openaiGetConversationItem', {
    tag: 'chat',
    summary: 'Get an item of a conversation',
    parameters: [CONVERSATION, ITEM],
    responses: { 200: jsonResponse('The item.', ConversationItem, item) },
    errors: SESSION_ERRORS,
  }),
  operation('delete /openai/v1/conversations/{id}/items/{item}', 'openaiDeleteConversationItem', {
    tag: 'chat',
    summary: 'Delete an item of a conversation',
    description: 'Always refused: the agent has it in its session.',
    parameters: [CONVERSATION, ITEM],
    responses: {},
    errors: SESSION_ERRORS,
  }),
]
