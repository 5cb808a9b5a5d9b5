/** `GET /openai/v1/models` and `GET /openai/v1/models/{id}`: every enabled backend is a model. */
import type { RegisterRoutes, ServerContext } from '../context/server-context.ts'
import { modelNotFound } from '../errors/faults.ts'
import type { Model, ModelList } from './models.shape.ts'

export const registerModels: RegisterRoutes = (scope, context) => {
  scope.get('/models', async (): Promise<ModelList> => ({ object: 'list', data: listModels(context) }))

  scope.get<{ Params: { id: string } }>('/models/:id', async ({ params: { id } }) => {
    const model = listModels(context).find((known) => known.id === id)
    if (model === undefined) throw modelNotFound({ model: id })
    return model
  })
}

/** In canonical order, whether the agent is installed or not. */
function listModels({ agents, startedAt }: ServerContext): Model[] {
  const created = Math.floor(startedAt.getTime() / 1000)
  return agents
    .list()
    .filter(({ isEnabled }) => isEnabled)
    .map(({ backend }) => ({ id: backend, object: 'model', created, owned_by: 'drover' }))
}
