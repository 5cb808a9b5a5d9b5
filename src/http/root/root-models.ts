/**
 * `GET /v1/models` and `GET /v1/models/{id}`. Both vendors have these paths, with different answers. A client of the
 * message API is known by its `anthropic-version` header; every other client gets the answer of the chat API.
 */
import { findMessageModel, listMessageModels } from '../anthropic/message-models.ts'
import type { RegisterRoutes } from '../context/server-context.ts'
import { isMessageClient } from '../errors/api-style.ts'
import { findModel, listModels } from '../openai/models.ts'

export const registerRootModels: RegisterRoutes = (scope, context) => {
  scope.get('/models', async (request) =>
    isMessageClient(request.headers) ? listMessageModels(request, context) : listModels(request, context),
  )

  scope.get<{ Params: { id: string } }>('/models/:id', async (request) => {
    const find = isMessageClient(request.headers) ? findMessageModel : findModel
    return find(request.params.id, request, context)
  })
}
