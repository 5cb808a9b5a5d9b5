import { Type } from 'typebox'
import { literals, type Message, namedObject } from '../../kit/shape.ts'
import { COMMON_ERRORS } from '../api-description/error-responses.shape.ts'
import { EXAMPLE, jsonResponse, type Operation, operation, pathParameter } from '../api-description/operation.shape.ts'

const Model = namedObject('Model', {
  id: Type.String({ description: 'The name of a backend.' }),
  object: Type.Literal('model'),
  created: Type.Integer({ minimum: 0, description: 'Unix seconds.' }),
  owned_by: literals(['drover']),
})
export type Model = Message<typeof Model>

const ModelList = namedObject('ModelList', {
  object: Type.Literal('list'),
  data: Type.Array(Model, { description: 'One model for each backend.' }),
})
export type ModelList = Message<typeof ModelList>

const models: Model[] = ['claude', 'codex', 'gemini'].map((id) => ({
  id,
  object: 'model',
  created: EXAMPLE.unixSeconds,
  owned_by: 'drover',
}))

export const OPERATIONS: readonly Operation[] = [
  operation('get /openai/v1/models', 'openaiListModels', {
    tag: 'chat',
    summary: 'List the models',
    responses: {
      200: jsonResponse('One model for each enabled backend.', ModelList, { object: 'list', data: models }),
    },
    errors: COMMON_ERRORS,
  }),
  operation('get /openai/v1/models/{id}', 'openaiGetModel', {
    tag: 'chat',
    summary: 'Get a model',
    parameters: [pathParameter('id', Type.String({ description: 'The name of a backend.' }), 'claude')],
    responses: { 200: jsonResponse('The model.', Model, models[0]) },
    errors: ['NotFound', ...COMMON_ERRORS],
  }),
]
