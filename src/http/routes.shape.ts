import { OPERATIONS as messageModels } from './anthropic/message-models.shape.ts'
import { OPERATIONS as messages } from './anthropic/messages.shape.ts'
import type { Operation } from './api-description/operation.shape.ts'
import { OPERATIONS as hooks } from './hooks/github-hook.shape.ts'
import { OPERATIONS as mcp } from './mcp/mcp.shape.ts'
import { OPERATIONS as consolePage } from './meta/console.shape.ts'
import { OPERATIONS as docs } from './meta/docs.shape.ts'
import { OPERATIONS as health } from './meta/health.shape.ts'
import { OPERATIONS as metrics } from './meta/metrics.shape.ts'
import { OPERATIONS as backends } from './native/backends.shape.ts'
import { OPERATIONS as batches } from './native/batches.shape.ts'
import { OPERATIONS as executions } from './native/executions.shape.ts'
import { OPERATIONS as watchers } from './native/list-watchers.shape.ts'
import { OPERATIONS as login } from './native/login.shape.ts'
import { OPERATIONS as administration } from './native/manage-server.shape.ts'
import { OPERATIONS as prompt } from './native/prompt.shape.ts'
import { OPERATIONS as push } from './native/push.shape.ts'
import { OPERATIONS as runs } from './native/runs-operations.shape.ts'
import { OPERATIONS as sessions } from './native/sessions.shape.ts'
import { BUDGET_OPERATIONS as budgets, OPERATIONS as usage } from './native/usage.shape.ts'
import { OPERATIONS as chatCompletions } from './openai/chat-completions.shape.ts'
import { OPERATIONS as conversations } from './openai/conversations.shape.ts'
import { OPERATIONS as models } from './openai/models.shape.ts'
import { OPERATIONS as responses } from './openai/responses.shape.ts'
import { OPERATIONS as aliases } from './root/aliases.shape.ts'

export const OPERATIONS: readonly Operation[] = [
  ...[
    ...prompt,
    ...batches,
    ...backends,
    ...sessions,
    ...executions,
    ...runs,
    ...watchers,
    ...budgets,
    ...administration,
    ...usage,
    ...login,
    ...push,
    ...mcp,
    ...hooks,
  ],
  ...[...models, ...chatCompletions, ...responses, ...conversations, ...messageModels, ...messages, ...aliases],
  ...[...health, ...docs, ...metrics, ...consolePage],
]
