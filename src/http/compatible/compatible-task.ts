import { pickAgent } from '../../agents/registry.ts'
import type { PromptRequest } from '../../prompts/prompt-request.ts'
import type { Conversation } from './conversation.ts'

type Wishes = { model: string; conversation: Conversation; isDryRun: boolean }

/** What a request of the compatible APIs comes down to: a prompt that leaves no session behind. */
export function toStatelessPrompt({ model, conversation, isDryRun }: Wishes): PromptRequest {
  const { prompt, systemPrompt } = conversation
  return {
    ...pickAgent(model),
    prompt,
    ...(systemPrompt !== undefined && { system_prompt: systemPrompt }),
    ephemeral: true,
    dry_run: isDryRun,
  }
}
