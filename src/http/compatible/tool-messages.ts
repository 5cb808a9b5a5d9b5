/**
 * Calls of functions and their results in the messages of a client. The three APIs write them differently; here they become one
 * list of what was said. Pure.
 */

import type { ToolReply } from '../../agents/adapter/client-tool.ts'
import { isObject, type JsonRecord, textAt } from '../../agents/adapter/json-fields.ts'
import { requestInvalid } from '../../kit/faults.ts'
import { readAttachmentPart, readTextDocument } from '../../prompts/attachment-parts.ts'
import { readAttachment } from '../../prompts/attachments.ts'
import { readText, type WireContent, type WireMessage } from '../../prompts/chat-messages.ts'
import { quoteCall, quoteReply } from '../../prompts/function-calls.ts'
import type { ToolAnswer } from '../../service/drover-service.ts'

/** One thing that was said. `place` is where it is in the request. */
export type Said = { place: string } & (
  | { is: 'message'; message: WireMessage }
  | { is: 'call'; id: string; name: string; input: string }
  | { is: 'result'; id: string; reply: ToolReply }
)

/** Of the chat completion API and the message API. */
export function readSaid(messages: readonly WireMessage[]): Said[] {
  return messages.flatMap((message, at) => readMessage(message, message.place ?? `messages[${at}]`))
}

function readMessage(message: WireMessage, place: string): Said[] {
  const { role, content, tool_calls: calls, ...rest } = message
  if (role === 'tool') return [toResult(message as JsonRecord, 'tool_call_id', place)]
  const made = Array.isArray(calls) ? calls.map((call, at) => toChatCall(call, `${place}.tool_calls[${at}]`)) : []
  const toMessage = (said: WireMessage['content']): Said => ({
    is: 'message',
    place,
    message: { ...rest, role, place, content: said },
  })
  if (Array.isArray(content)) return [...readParts(content, place, toMessage), ...made]
  // A message with calls needs no content.
  return made.length > 0 && (content ?? '') === '' ? made : [toMessage(content), ...made]
}

type Parts = Extract<WireContent, readonly unknown[]>

/** Thoughts of a model are not sent to another one. Tools that are added are read with the others; none is taken away. */
const LEFT_OUT = ['thinking', 'redacted_thinking', 'tool_addition', 'tool_removal']

/** Texts that stand together are one message. */
function readParts(parts: Parts, place: string, toMessage: (parts: Parts) => Said): Said[] {
  const said: Said[] = []
  let texts: Parts = []
  const endTexts = () => {
    if (texts.length > 0) said.push(toMessage(texts))
    texts = []
  }
  for (const [at, part] of parts.entries()) {
    const tool = readToolPart(part, `${place}.content[${at}]`)
    if (tool === undefined && !LEFT_OUT.includes(part.type)) texts = [...texts, part]
    if (tool === undefined) continue
    endTexts()
    said.push(tool)
  }
  if (texts.length > 0 || said.length === 0) said.push(toMessage(texts))
  return said
}

function readToolPart(part: Parts[number], place: string): Said | undefined {
  const fields = part as JsonRecord
  if (part.type === 'tool_result') return toResult(fields, 'tool_use_id', place)
  if (part.type !== 'tool_use') return undefined
  const id = required(textAt(fields, 'id'), `${place}.id`)
  const name = required(textAt(fields, 'name'), `${place}.name`)
  return { is: 'call', place, id, name, input: JSON.stringify(fields['input'] ?? {}) }
}

function toChatCall(call: unknown, place: string): Said {
  const body = isObject(call) && isObject(call['function']) ? call['function'] : undefined
  const id = required(isObject(call) ? textAt(call, 'id') : undefined, `${place}.id`)
  const name = required(textAt(body, 'name'), `${place}.function.name`)
  return { is: 'call', place, id, name, input: textAt(body, 'arguments') ?? '{}' }
}

/** A call in the input of the Responses API, or its result. */
export function readToolItem(item: JsonRecord, place: string): Said {
  const type = textAt(item, 'type')
  if (type !== 'function_call' && type !== 'custom_tool_call') return toResult(item, 'call_id', place)
  const id = required(textAt(item, 'call_id'), `${place}.call_id`)
  const name = required(textAt(item, 'name'), `${place}.name`)
  const input = type === 'custom_tool_call' ? textAt(item, 'input') : textAt(item, 'arguments')
  return { is: 'call', place, id, name, input: input ?? '{}' }
}

function toResult(fields: JsonRecord, idField: string, place: string): Said {
  const id = required(textAt(fields, idField), `${place}.${idField}`)
  const field = fields['output'] === undefined ? 'content' : 'output'
  const given = fields[field] ?? ''
  const content =
    typeof given === 'string' ? [{ type: 'text' as const, text: given }] : toContent(given, `${place}.${field}`)
  return { is: 'result', place, id, reply: { content, ...(fields['is_error'] === true && { isError: true }) } }
}

function toContent(given: unknown, place: string): ToolReply['content'] {
  if (!Array.isArray(given)) throw requestInvalid(place, 'must be a text or a list of parts')
  return given.map((part: unknown, at) => {
    const text = isObject(part) ? (textAt(part, 'text') ?? readTextDocument(part)) : undefined
    if (text !== undefined) return { type: 'text', text }
    const inner = `${place}[${at}]`
    const attached = isObject(part) ? readAttachmentPart(part, inner) : undefined
    const file = attached && readAttachment(attached, `$.${inner}`)
    if (file?.mediaType.startsWith('image/')) return { type: 'image', data: file.data, mimeType: file.mediaType }
    throw requestInvalid(inner, 'must be a text, or an image as base64 or a data URL')
  })
}

type Conversation = {
  /** For an agent that does not know the conversation: calls and results are quoted. */
  messages: WireMessage[]
  /** The results that the conversation ends with. */
  answer?: Omit<ToolAnswer, 'choice' | 'request'>
  /** What the client has said, in order. */
  said: string[]
}

/** `hasCalls`: every result must belong to a call that is in the list. */
export function toConversationWithTools(entries: readonly Said[], { hasCalls }: { hasCalls: boolean }): Conversation {
  const names = new Map(entries.flatMap((each) => (each.is === 'call' ? [[each.id, each.name]] : [])))
  const stray = entries.find((each) => each.is === 'result' && !names.has(each.id))
  if (hasCalls && stray !== undefined)
    throw requestInvalid(stray.place, 'must be the result of a call in the conversation')
  const messages = entries.map((each) => toQuoted(each, names))
  const said = entries.flatMap((each) => (each.is === 'message' && each.message.role === 'user' ? [textOf(each)] : []))
  const answer = toAnswer(entries)
  return { messages, said, ...(answer !== undefined && { answer: { ...answer, said: hasCalls ? said : undefined } }) }
}

/** What the user has added to the results goes to the agent with the last one. */
function toAnswer(entries: readonly Said[]): Omit<ToolAnswer, 'said' | 'choice' | 'request'> | undefined {
  const at = entries.findLastIndex(({ is }) => is === 'result')
  const rest = entries.slice(at + 1)
  const isUser = (each: Said) => each.is === 'message' && each.message.role !== 'assistant'
  if (at < 0 || !rest.every(isUser)) return undefined
  const last = entries[at] as Extract<Said, { is: 'result' }>
  const added = rest.map((each) => ({ type: 'text' as const, text: `The user adds:\n${textOf(each)}` }))
  const replies = new Map(entries.flatMap((each) => (each.is === 'result' ? [[each.id, each.reply]] : [])))
  const reply = { ...last.reply, content: [...last.reply.content, ...added] }
  return { callId: last.id, replies: replies.set(last.id, reply) }
}

function textOf(entry: Said): string {
  return entry.is === 'message' ? readText(entry.message.content ?? '', `${entry.place}.content`) : ''
}

function toQuoted(entry: Said, names: ReadonlyMap<string, string>): WireMessage {
  const { place } = entry
  if (entry.is === 'message') return entry.message
  if (entry.is === 'call') return { role: 'assistant', place, content: quoteCall(entry.name, entry.input) }
  return { role: 'user', place, content: quoteReply(names.get(entry.id) ?? entry.id, entry.reply) }
}

function required(value: string | undefined, path: string): string {
  if (value !== undefined && value !== '') return value
  throw requestInvalid(path, 'is required')
}
