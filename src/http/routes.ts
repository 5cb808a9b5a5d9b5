/** All endpoints, by the prefix of their paths. */
import { findMessageModel, listMessageModels, registerMessageModels } from './anthropic/message-models.ts'
import { registerMessages } from './anthropic/messages.ts'
import type { RegisterRoutes } from './context/server-context.ts'
import { isMessageClient } from './errors/api-style.ts'
import { registerGitHubHook } from './hooks/github-hook.ts'
import { registerMcp } from './mcp/mcp.ts'
import { registerConsole } from './meta/console.ts'
import { registerDocs, registerOpenApi } from './meta/docs.ts'
import { registerHealth } from './meta/health.ts'
import { registerMetrics } from './meta/metrics.ts'
import { registerBackends } from './native/backends.ts'
import { registerBatches } from './native/batches.ts'
import { registerExecutions } from './native/executions.ts'
import { registerLogin } from './native/login.ts'
import { registerAdministration, registerWatchers } from './native/manage-server.ts'
import { registerPrompt } from './native/prompt.ts'
import { registerPush } from './native/push.ts'
import { registerQueue, registerRuns } from './native/runs.ts'
import { registerSessions } from './native/sessions.ts'
import { registerBudgets, registerUsage } from './native/usage.ts'
import { registerChatCompletions } from './openai/chat-completions.ts'
import { registerConversations } from './openai/conversations.ts'
import { findModel, listModels, registerModels } from './openai/models.ts'
import { registerResponses } from './openai/responses.ts'

/**
 * `GET /v1/models` and `GET /v1/models/{id}`. Both vendors have these paths, with different answers. A client of the
 * message API is known by its `anthropic-version` header; every other client gets the answer of the chat API.
 */
const registerRootModels: RegisterRoutes = (scope, context) => {
  scope.get('/models', async (request) =>
    isMessageClient(request.headers) ? listMessageModels(request, context) : listModels(request, context),
  )

  scope.get<{ Params: { id: string } }>('/models/:id', async (request) => {
    const find = isMessageClient(request.headers) ? findMessageModel : findModel
    return find(request.params.id, request, context)
  })
}

export const ROUTES: Readonly<Record<string, readonly RegisterRoutes[]>> = {
  '': [registerHealth, registerOpenApi, registerDocs, registerMetrics, registerConsole, registerMcp],
  '/api/v1': [
    registerPrompt,
    registerBatches,
    registerBackends,
    registerSessions,
    registerExecutions,
    registerRuns,
    registerQueue,
    registerWatchers,
    registerBudgets,
    registerAdministration,
    registerUsage,
    registerLogin,
    registerPush,
  ],
  '/hooks': [registerGitHubHook],
  '/openai/v1': [registerModels, registerChatCompletions, registerResponses, registerConversations],
  '/anthropic/v1': [registerMessageModels, registerMessages],
  // For clients with a base URL that lacks the prefix of the API.
  '/v1': [registerRootModels, registerChatCompletions, registerResponses, registerConversations, registerMessages],
}
