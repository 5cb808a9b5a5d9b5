import { Type } from 'typebox'
import { type Message, namedObject } from '../../kit/shape.ts'
import { COMMON_ERRORS } from '../api-description/error-responses.shape.ts'
import { EXAMPLE, jsonResponse, type Operation, operation, pathParameter } from '../api-description/operation.shape.ts'

const MessageModel = namedObject('MessageModel', {
  type: Type.Literal('model'),
  id: Type.String({ description: 'The name of a backend.' }),
  display_name: Type.String({ description: 'The same.' }),
  created_at: Type.String({ format: 'date-time', description: 'When the server was started.' }),
})
export type MessageModel = Message<typeof MessageModel>

const pageId = (description: string) => Type.Union([Type.String(), Type.Null()], { description })

const MessageModelList = namedObject('MessageModelList', {
  data: Type.Array(MessageModel, { description: 'One model for each enabled backend.' }),
  has_more: Type.Boolean({ description: 'Always false: there is one page.' }),
  first_id: pageId('The id of the first model.'),
  last_id: pageId('The id of the last model.'),
})
export type MessageModelList = Message<typeof MessageModelList>

const models = ['claude', 'codex', 'gemini'].map((id) => ({
  type: 'model' as const,
  id,
  display_name: id,
  created_at: EXAMPLE.timestamp,
}))

const messageModels: MessageModelList = { data: models, has_more: false, first_id: 'claude', last_id: 'gemini' }

export const OPERATIONS: readonly Operation[] = [
  operation('get /anthropic/v1/models', 'anthropicListModels', {
    tag: 'message',
    summary: 'List the models',
    responses: {
      200: jsonResponse('One model for each enabled backend, on one page.', MessageModelList, messageModels),
    },
    errors: COMMON_ERRORS,
  }),
  operation('get /anthropic/v1/models/{id}', 'anthropicGetModel', {
    tag: 'message',
    summary: 'Get a model',
    parameters: [pathParameter('id', Type.String({ description: 'The name of a backend.' }), 'claude')],
    responses: { 200: jsonResponse('The model.', MessageModel, models[0]) },
    errors: ['NotFound', ...COMMON_ERRORS],
  }),
]
