import { checker } from '../../kit/schema.ts'
import type { PromptRequest } from '../../prompts/prompt-request.ts'
import { validateChatRequest } from '../checks.generated.js'
import { toStatelessPrompt } from '../compatible/compatible-task.ts'
import { toConversation } from '../compatible/conversation.ts'
import { refuseTools } from '../compatible/refuse-tools.ts'
import type { ChatRequest } from './wire.shape.ts'

export type Chat = {
  model: string
  prompt: PromptRequest
  isStream: boolean
  /** Whether a last chunk tells the usage. */
  wantsUsage: boolean
}

const check = checker<ChatRequest>('the request', validateChatRequest)

/** What a chat request asks for. Throws a Fault for what cannot be had, and passes over what is ignored. */
export function toChat(body: unknown): Chat {
  const request = check(body)
  const { model, tools, functions } = request
  refuseTools({ tools, functions })
  const conversation = toConversation(request.messages)
  return {
    model,
    prompt: toStatelessPrompt({ model, conversation, isDryRun: request.dry_run === true }),
    isStream: request.stream === true,
    wantsUsage: request.stream_options?.include_usage === true,
  }
}
