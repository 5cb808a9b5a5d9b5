/** Every route of the server, by the scope it belongs to. */
import { registerMessages } from './anthropic/routes.ts'
import { registerDocs } from './meta/docs.ts'
import { registerHealth } from './meta/health.ts'
import { registerMetrics } from './meta/metrics.ts'
import { registerOpenApi } from './meta/openapi.ts'
import { registerBackends } from './native/backends.ts'
import { registerManyPrompts } from './native/many-prompts.ts'
import { registerPrompt } from './native/prompt.ts'
import { registerSessions } from './native/sessions.ts'
import { registerChat } from './openai/routes.ts'
import type { RegisterRoutes } from './register-routes.ts'

export type Scope = { prefix: string; routes: readonly RegisterRoutes[] }

export const SCOPES: readonly Scope[] = [
  { prefix: '', routes: [registerHealth, registerOpenApi, registerDocs, registerMetrics] },
  { prefix: '/api/v1', routes: [registerPrompt, registerManyPrompts, registerBackends, registerSessions] },
  { prefix: '/openai/v1', routes: [registerChat] },
  { prefix: '/anthropic/v1', routes: [registerMessages] },
]
