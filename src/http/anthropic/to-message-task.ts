import { checker } from '../../kit/schema.ts'
import type { PromptRequest } from '../../prompts/prompt-request.ts'
import { validateMessageRequest } from '../checks.generated.js'
import { toStatelessPrompt } from '../compatible/compatible-task.ts'
import { toConversation } from '../compatible/conversation.ts'
import { refuseTools } from '../compatible/refuse-tools.ts'
import type { MessageRequest } from './wire.shape.ts'

export type MessageTask = { model: string; prompt: PromptRequest; isStream: boolean }

const check = checker<MessageRequest>('the request', validateMessageRequest)

/** What a message request asks for. Throws a Fault for what cannot be had, and passes over what is ignored. */
export function toMessageTask(body: unknown): MessageTask {
  const request = check(body)
  const { model, tools, mcp_servers } = request
  refuseTools({ tools, mcp_servers })
  const conversation = toConversation(request.messages, request.system ?? undefined)
  return {
    model,
    prompt: toStatelessPrompt({ model, conversation, isDryRun: request.dry_run === true }),
    isStream: request.stream === true,
  }
}
