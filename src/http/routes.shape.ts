import { Type } from 'typebox'
import { OPERATIONS as messageModels } from './anthropic/message-models.shape.ts'
import { OPERATIONS as messages } from './anthropic/messages.shape.ts'
import { type Content, type Operation, optionalHeader } from './api-description/operation.shape.ts'
import { OPERATIONS as hooks } from './hooks/github-hook.shape.ts'
import { OPERATIONS as mcp } from './mcp/mcp.shape.ts'
import { OPERATIONS as consolePage } from './meta/console.shape.ts'
import { OPERATIONS as docs } from './meta/docs.shape.ts'
import { OPERATIONS as health } from './meta/health.shape.ts'
import { OPERATIONS as metrics } from './meta/metrics.shape.ts'
import { OPERATIONS as backends } from './native/backends.shape.ts'
import { OPERATIONS as batches } from './native/batches.shape.ts'
import { OPERATIONS as executions } from './native/executions.shape.ts'
import { OPERATIONS as login } from './native/login.shape.ts'
import { OPERATIONS as administration, WATCHER_OPERATIONS as watchers } from './native/manage-server.shape.ts'
import { OPERATIONS as prompt } from './native/prompt.shape.ts'
import { OPERATIONS as push } from './native/push.shape.ts'
import { OPERATIONS as runs } from './native/runs-operations.shape.ts'
import { OPERATIONS as sessions } from './native/sessions.shape.ts'
import { BUDGET_OPERATIONS as budgets, OPERATIONS as usage } from './native/usage.shape.ts'
import { OPERATIONS as chatCompletions } from './openai/chat-completions.shape.ts'
import { OPERATIONS as conversations } from './openai/conversations.shape.ts'
import { OPERATIONS as models } from './openai/models.shape.ts'
import { OPERATIONS as responses } from './openai/responses.shape.ts'

const MESSAGE_CLIENT = optionalHeader(
  'anthropic-version',
  Type.String({ description: 'If it is sent, the answer is that of the message API.' }),
  '2023-06-01',
)

/** Both vendors have the paths of the models. */
const sharedModels = models.map((operation, at): Operation => {
  const [own, other] = [operation, messageModels[at]].map((each) => each?.responses[200]?.content?.['application/json'])
  return {
    ...operation,
    parameters: [...(operation.parameters ?? []), MESSAGE_CLIENT],
    responses: {
      200: { description: 'In the format of the API.', content: { 'application/json': either(own, other) } },
    },
  }
})

function either(chat: Content | undefined, message: Content | undefined): Content {
  const [one, two] = [chat, message].map((content) => content?.shape ?? Type.Unknown())
  const examples = { chat: chat?.examples['example'], message: message?.examples['example'] }
  return { shape: Type.Union([one ?? Type.Unknown(), two ?? Type.Unknown()]), examples }
}

/** The compatible APIs without their prefix, for clients that are configured with a base URL that lacks it. */
const ALIASES: readonly Operation[] = [
  ...sharedModels,
  ...chatCompletions,
  ...responses,
  ...conversations,
  ...messages,
].map((operation) => ({
  ...operation,
  path: operation.path.replace(/^\/(?:openai|anthropic)/, ''),
  id: `root${operation.id.replace(/^(?:openai|anthropic)/, '')}`,
  description: `The same as \`${operation.path}\`.`,
}))

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
  ...[...models, ...chatCompletions, ...responses, ...conversations, ...messageModels, ...messages, ...ALIASES],
  ...[...health, ...docs, ...metrics, ...consolePage],
]
