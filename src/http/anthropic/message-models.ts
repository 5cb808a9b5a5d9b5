/** `GET /anthropic/v1/models` and `GET /anthropic/v1/models/{id}`: every enabled backend that the sender may use is a model. */
import type { FastifyRequest } from 'fastify'
import { toTimestamp } from '../../kit/clock.ts'
import { agentsOf } from '../context/sender.ts'
import type { RegisterRoutes, ServerContext } from '../context/server-context.ts'
import { modelNotFound } from '../errors/faults.ts'
import type { MessageModel, MessageModelList } from './message-models.shape.ts'

export const registerMessageModels: RegisterRoutes = (scope, context) => {
  scope.get('/models', async (request) => listMessageModels(request, context))

  scope.get<{ Params: { id: string } }>('/models/:id', async (request) =>
    findMessageModel(request.params.id, request, context),
  )
}

/** In canonical order, whether the agent is installed or not. One page has them all. */
export function listMessageModels(request: FastifyRequest, context: ServerContext): MessageModelList {
  const created_at = toTimestamp(context.startedAt)
  const enabled = agentsOf(request, context).filter(({ isEnabled }) => isEnabled)
  const data = enabled.map(({ backend }) => ({
    type: 'model' as const,
    id: backend,
    display_name: backend,
    created_at,
  }))
  return { data, has_more: false, first_id: data.at(0)?.id ?? null, last_id: data.at(-1)?.id ?? null }
}

export function findMessageModel(id: string, request: FastifyRequest, context: ServerContext): MessageModel {
  const model = listMessageModels(request, context).data.find((known) => known.id === id)
  if (model === undefined) throw modelNotFound({ model: id, list: '/anthropic/v1/models' })
  return model
}
