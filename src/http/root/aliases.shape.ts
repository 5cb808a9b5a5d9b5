/** The compatible APIs without their prefix, for clients that are configured with a base URL that lacks it. */
import { Type } from 'typebox'
import { OPERATIONS as messageModels } from '../anthropic/message-models.shape.ts'
import { OPERATIONS as messages } from '../anthropic/messages.shape.ts'
import { type Content, type Operation, optionalHeader } from '../api-description/operation.shape.ts'
import { OPERATIONS as chatCompletions } from '../openai/chat-completions.shape.ts'
import { OPERATIONS as conversations } from '../openai/conversations.shape.ts'
import { OPERATIONS as models } from '../openai/models.shape.ts'
import { OPERATIONS as responses } from '../openai/responses.shape.ts'

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

export const OPERATIONS: readonly Operation[] = [
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
