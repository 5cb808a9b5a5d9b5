/** All endpoints, by the prefix of their paths. */

import { registerMessageModels } from './anthropic/message-models.ts'
import { registerMessages } from './anthropic/messages.ts'
import type { RegisterRoutes } from './context/server-context.ts'
import { registerGitHubHook } from './hooks/github-hook.ts'
import { registerMcp } from './mcp/mcp.ts'
import { registerConsole } from './meta/console.ts'
import { registerDocs, registerOpenApi } from './meta/docs.ts'
import { registerHealth } from './meta/health.ts'
import { registerMetrics } from './meta/metrics.ts'
import { registerBackends } from './native/backends.ts'
import { registerBatches } from './native/batches.ts'
import { registerExecutions } from './native/executions.ts'
import { registerWatchers } from './native/list-watchers.ts'
import { registerLogin } from './native/login.ts'
import { registerAdministration } from './native/manage-server.ts'
import { registerPrompt } from './native/prompt.ts'
import { registerPush } from './native/push.ts'
import { registerQueue, registerRuns } from './native/runs.ts'
import { registerSessions } from './native/sessions.ts'
import { registerBudgets, registerUsage } from './native/usage.ts'
import { registerChatCompletions } from './openai/chat-completions.ts'
import { registerConversations } from './openai/conversations.ts'
import { registerModels } from './openai/models.ts'
import { registerResponses } from './openai/responses.ts'
import { registerRootModels } from './root/root-models.ts'

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
