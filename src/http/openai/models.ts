/** `GET /openai/v1/models` and `GET /openai/v1/models/{id}`: every enabled backend that the sender may use is a model. */
import type { FastifyRequest } from 'fastify'
import { agentsOf } from '../context/sender.ts'
import type { RegisterRoutes, ServerContext } from '../context/server-context.ts'
import { modelNotFound } from '../errors/faults.ts'
import type { Model, ModelList } from './models.shape.ts'

export const registerModels: RegisterRoutes = (scope, context) => {
  scope.get('/models', async (request) => listModels(request, context))

  scope.get<{ Params: { id: string } }>('/models/:id', async (request) =>
    findModel(request.params.id, request, context),
  )
}

/** In canonical order, whether the agent is installed or not. */
export function listModels(request: FastifyRequest, context: ServerContext): ModelList {
  const created = Math.floor(context.startedAt.getTime() / 1000)
  const enabled = agentsOf(request, context).filter(({ isEnabled }) => isEnabled)
  return {
    object: 'list',
    data: enabled.map(({ backend }) => ({ id: backend, object: 'model', created, owned_by: 'drover' })),
  }
}

export function findModel(id: string, request: FastifyRequest, context: ServerContext): Model {
  const model = listModels(request, context).data.find((known) => known.id === id)
  if (model === undefined) throw modelNotFound({ model: id, list: '/openai/v1/models' })
  return model
}
