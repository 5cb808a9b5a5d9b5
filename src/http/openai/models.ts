/** `GET /openai/v1/models` and `GET /openai/v1/models/{id}`: every enabled backend is a model. */
import type { RegisterRoutes, ServerContext } from '../context/server-context.ts'
import { modelNotFound } from '../errors/faults.ts'
import type { Model, ModelList } from './models.shape.ts'

export const registerModels: RegisterRoutes = (scope, context) => {
  scope.get('/models', async () => listModels(context))

  scope.get<{ Params: { id: string } }>('/models/:id', async ({ params: { id } }) => findModel(id, context))
}

/** In canonical order, whether the agent is installed or not. */
export function listModels({ drover: { agents }, startedAt }: ServerContext): ModelList {
  const created = Math.floor(startedAt.getTime() / 1000)
  const enabled = agents.list().filter(({ isEnabled }) => isEnabled)
  return {
    object: 'list',
    data: enabled.map(({ backend }) => ({ id: backend, object: 'model', created, owned_by: 'drover' })),
  }
}

export function findModel(id: string, context: ServerContext): Model {
  const model = listModels(context).data.find((known) => known.id === id)
  if (model === undefined) throw modelNotFound({ model: id, list: '/openai/v1/models' })
  return model
}
