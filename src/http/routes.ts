/** All endpoints, by the prefix of their paths. */
import { registerMessages } from './anthropic/messages.ts'
import type { RegisterRoutes } from './context/server-context.ts'
import { registerDocs } from './meta/docs.ts'
import { registerHealth } from './meta/health.ts'
import { registerMetrics } from './meta/metrics.ts'
import { registerOpenApi } from './meta/openapi.ts'
import { registerBackends } from './native/backends.ts'
import { registerChain } from './native/chain.ts'
import { registerCompare } from './native/compare.ts'
import { registerParallel } from './native/parallel.ts'
import { registerPrompt } from './native/prompt.ts'
import { registerResume } from './native/resume.ts'
import { registerSessions } from './native/sessions.ts'
import { registerChatCompletions } from './openai/chat-completions.ts'
import { registerModels } from './openai/models.ts'

export const ROUTES: Readonly<Record<string, readonly RegisterRoutes[]>> = {
  '': [registerHealth, registerOpenApi, registerDocs, registerMetrics],
  '/api/v1': [
    registerPrompt,
    registerResume,
    registerParallel,
    registerChain,
    registerCompare,
    registerBackends,
    registerSessions,
  ],
  '/openai/v1': [registerModels, registerChatCompletions],
  '/anthropic/v1': [registerMessages],
}
