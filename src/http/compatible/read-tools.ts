/** What a compatible request says with tools: those that it offers, and the calls and results in its messages. Pure. */
import { isObject, type JsonRecord, objectAt, textAt } from '../../agents/adapter/json-fields.ts'
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
  const listed = offered.tools ?? []
  const { ignored, ...functions } = readTools({ ...offered, tools: [...listed, ...addedIn(messages, listed)] }, setting)
  if (setting !== 'bridge') {
    const kept = ignoreToolCalls(messages, setting)
    return { messages: kept.messages, ignored: [...ignored, ...kept.ignored] }
  }
  return { ...bridge(readSaid(messages), functions, { hasCalls: true }), ignored }
}

/** Tools whose definitions are in the messages, as Claude Code sends them. The last definition of a name counts. */
function addedIn(messages: readonly WireMessage[], listed: readonly unknown[]): JsonRecord[] {
  const names = new Set(listed.map((tool) => (isObject(tool) ? textAt(tool, 'name') : undefined)))
  const parts = messages.flatMap(
    ({ content }) => (typeof content === 'string' ? [] : (content ?? [])) as readonly JsonRecord[],
  )
  const added = parts.filter(({ type }) => type === 'tool_addition').map((part) => objectAt(part, 'tool'))
  const definitions = added.flatMap((tool): JsonRecord[] => [objectAt(tool, 'definition') ?? []].flat())
  const byName = new Map(definitions.map((tool) => [textAt(tool, 'name'), tool]))
  return [...byName].flatMap(([name, tool]) => (names.has(name) ? [] : [tool]))
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
