import { pickAgent } from '../../agents/pick-agent.ts'
import type { AskedPrompt } from '../response/answer-prompt.ts'
import type { Conversation } from './conversation.ts'

type Wishes = { model: string; conversation: Conversation; isDryRun: boolean }

/** What a request of the compatible APIs comes down to: a prompt that leaves no session behind. */
export function toCompatibleTask({ model, conversation, isDryRun }: Wishes): AskedPrompt {
  const { prompt, systemPrompt } = conversation
  return {
    request: {
      ...pickAgent(model),
      prompt,
      ...(systemPrompt !== undefined && { system_prompt: systemPrompt }),
      ephemeral: true,
      dry_run: isDryRun,
    },
  }
}
