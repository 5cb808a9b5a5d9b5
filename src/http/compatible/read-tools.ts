/** What a compatible request says with tools: those that it offers, and the calls and results in its messages. Pure. */
import type { WireMessage } from '../../prompts/chat-messages.ts'
import type { OfferedTools } from '../../prompts/prompt-request.ts'
import { describeConversation } from '../../prompts/tool-turns.ts'
import type { ToolAnswer } from '../../service/drover-service.ts'
import { type ClientTools, ignoreToolCalls, readTools } from './client-tools.ts'
import { readSaid, type Said, toConversationWithTools } from './tool-messages.ts'

type Asked = Parameters<typeof readTools>[0] & { messages: readonly WireMessage[] }

type Read = {
  messages: readonly WireMessage[]
  clientTools?: OfferedTools | undefined
  answer?: Omit<ToolAnswer, 'request'> | undefined
  ignored: readonly string[]
}

export function readToolUse({ messages, ...offered }: Asked, setting: ClientTools): Read {
  const { ignored, ...functions } = readTools(offered, setting)
  if (setting !== 'bridge') {
    const kept = ignoreToolCalls(messages, setting)
    return { messages: kept.messages, ignored: [...ignored, ...kept.ignored] }
  }
  return { ...bridge(readSaid(messages), functions, { hasCalls: true }), ignored }
}

/** `hasCalls`: the whole conversation is in the list. */
export function bridge(
  said: readonly Said[],
  { tools, choice }: Pick<OfferedTools, 'tools' | 'choice'>,
  { hasCalls }: { hasCalls: boolean },
): Omit<Read, 'ignored'> {
  const { messages, answer, said: texts } = toConversationWithTools(said, { hasCalls })
  const clientTools = tools.length === 0 ? undefined : { tools, choice, conversation: describeConversation(texts) }
  return { messages, clientTools, ...(answer !== undefined && { answer: { ...answer, choice } }) }
}
