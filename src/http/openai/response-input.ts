/** Reads the input of a response request: a text, or items. What cannot be passed to an agent is refused. Pure. */

import type { JsonRecord } from '../../agents/adapter/json-fields.ts'
import { requestInvalid } from '../../kit/faults.ts'
import { readText, type WireContent, type WireMessage } from '../../prompts/chat-messages.ts'
import { unsupportedFeature } from '../../prompts/faults.ts'
import type { ClientTools } from '../compatible/client-tools.ts'
import { readToolItem, type Said } from '../compatible/tool-messages.ts'

/** A message of the input, the id of an item of an earlier response, or a call of a function or its result. */
export type InputEntry = WireMessage | { reference: string; place: string } | { said: Said }

type WireItem = {
  type?: string | null | undefined
  id?: string | null | undefined
  role?: string | null | undefined
  content?: WireContent | null | undefined
  encrypted_content?: string | null | undefined
}

/** Calls of tools and their results, by clients that have talked to a model before, or that run tools themselves. */
const TOOL_ITEM = /_(?:call|call_output|list_tools|approval_request|approval_response|search_output)$/
/** Calls of functions, and their results. */
const FUNCTION_ITEMS = ['function_call', 'function_call_output', 'custom_tool_call', 'custom_tool_call_output']
/** Of no use to an agent. Clients send back what they got. */
const NOT_NEEDED = ['reasoning', 'compaction']

/** Begins what drover has made. The items of a vendor are of no use to an agent. */
const COMPACTED = 'drover.'

/** The content of an item that stands for a conversation, from its text. Not secret: clients take it as opaque. */
export function toCompacted(text: string): string {
  return COMPACTED + Buffer.from(text).toString('base64url')
}

function readCompacted({ encrypted_content: content }: WireItem, place: string): WireMessage[] {
  if (content?.startsWith(COMPACTED) !== true) return []
  return [{ role: 'user', content: Buffer.from(content.slice(COMPACTED.length), 'base64url').toString(), place }]
}

/** Returns the messages in order, and the types of the items that are ignored because of `server.client_tools`. */
export function readInput(
  input: string | readonly WireItem[],
  { clientTools }: { clientTools: ClientTools },
): { entries: InputEntry[]; ignored: string[] } {
  if (typeof input === 'string') return { entries: [{ role: 'user', content: input, place: 'input' }], ignored: [] }
  const ignored = new Set<string>()
  const entries = input.flatMap((item, at): InputEntry[] => {
    const place = `input[${at}]`
    const type = item.type ?? 'message'
    if (type === 'message') return [toMessage(item, place)]
    if (type === 'item_reference') return [{ reference: required(item.id, `${place}.id`), place }]
    if (NOT_NEEDED.includes(type)) return readCompacted(item, place)
    const isOfTool = TOOL_ITEM.test(type)
    if (clientTools === 'bridge' && FUNCTION_ITEMS.includes(type))
      return [{ said: readToolItem(item as JsonRecord, place) }]
    if (!isOfTool || clientTools === 'refuse') throw unsupported(type, { place: `${place}.type`, isOfTool })
    ignored.add(type)
    return []
  })
  return { entries, ignored: [...ignored] }
}

function toMessage({ role, content }: WireItem, place: string): WireMessage {
  return { role: required(role, `${place}.role`), content: required(content, `${place}.content`), place }
}

function required<T>(value: T | null | undefined, path: string): T {
  if (value !== undefined && value !== null) return value
  throw requestInvalid(path, 'is required')
}

function unsupported(type: string, { place, isOfTool }: { place: string; isOfTool: boolean }) {
  const advice = isOfTool
    ? 'agents use their own tools; send messages only, or ask the operator for server.client_tools: ignore'
    : 'send messages only'
  return unsupportedFeature({ place, feature: `items of type ${type}`, advice })
}

export type StoredMessage = { role: string; text: string }

export function toStoredMessages(messages: readonly WireMessage[]): StoredMessage[] {
  return messages.map(({ role, content, place = 'input' }) => ({
    role,
    text: readText(content ?? '', `${place}.content`),
  }))
}
