/** The tools that a client offers: the agent may call them, or they are refused or ignored, as `server.client_tools` says. Pure. */
import type { ClientTool, ToolChoice } from '../../agents/adapter/client-tool.ts'
import { isObject, type JsonRecord, objectAt, textAt } from '../../agents/adapter/json-fields.ts'
import { requestInvalid } from '../../kit/faults.ts'
import type { WireMessage } from '../../prompts/chat-messages.ts'
import { unsupportedFeature } from '../../prompts/faults.ts'
import type { OfferedTools } from '../../prompts/prompt-request.ts'
import { describeConversation } from '../../prompts/tool-turns.ts'
import type { ToolAnswer } from '../../service/drover-service.ts'
import { readSaid, type Said, toConversationWithTools } from './tool-messages.ts'

/** The setting `server.client_tools`. */
export type ClientTools = 'bridge' | 'refuse' | 'ignore'

const ADVICE = 'agents use their own tools; send none, or ask the operator for server.client_tools: bridge'

/** More than any program offers. */
export const MOST_TOOLS = 512
const TOOL_NAME = /^[A-Za-z0-9_-]{1,128}$/

/** `tool_choice` as the three APIs have it. Throws a Fault for a function that is not offered. */
function readChoice(choice: unknown, tools: readonly ClientTool[]): ToolChoice {
  const type = typeOf(choice)
  const offered = tools.map(({ name }) => name)
  const only = isObject(choice) ? namesIn(choice) : undefined
  const unknown = only?.find((name) => !offered.includes(name))
  if (unknown !== undefined)
    throw requestInvalid('tool_choice', `must name functions in tools; ${unknown} is none of them`)
  if (type === 'none') return { must: false, only: [] }
  if (type === 'auto') return { must: false }
  const must = type !== 'allowed_tools' || modeOf(choice) === 'required'
  if (must && offered.length === 0)
    throw requestInvalid('tool_choice', 'must be auto or none, because tools has no function')
  if (type === 'required' || type === 'any') return { must }
  if (only === undefined)
    throw requestInvalid('tool_choice', 'must be auto, none, required, or name functions in tools')
  return { must, only }
}

/** Vendors put them into the choice, or into an object in it. */
function namesIn(choice: JsonRecord): string[] | undefined {
  const type = textAt(choice, 'type') ?? ''
  const inner = isObject(choice[type]) ? choice[type] : choice
  const { tools } = inner
  if (type === 'allowed_tools' && Array.isArray(tools))
    return tools.flatMap((tool: unknown) => (isObject(tool) && namesIn(tool)) || [])
  const name = textAt(inner, 'name')
  return name === undefined ? undefined : [name]
}

function modeOf(choice: unknown): string | undefined {
  if (!isObject(choice)) return undefined
  return textAt(isObject(choice['allowed_tools']) ? choice['allowed_tools'] : choice, 'mode')
}

function typeOf(choice: unknown): unknown {
  return isObject(choice) ? textAt(choice, 'type') : (choice ?? 'auto')
}

/** With these, an answer without a call is right. */
const FREE_CHOICES: readonly unknown[] = ['auto', 'none', 'allowed_tools']

type Offered = {
  /** `auto`, `none`, or what must be called. */
  tool_choice?: unknown
  /** False: the client runs one call at a time. */
  parallel_tool_calls?: boolean | null | undefined
  /** The field that has functions which agents can be given. */
  tools?: readonly unknown[] | null | undefined
  /** Fields with tools that agents cannot be given. */
  others?: Readonly<Record<string, readonly unknown[] | null | undefined>>
}

/** `ignored` names the fields and types of tools that are left out. */
export function readTools(
  { tools: listed, tool_choice: choice, parallel_tool_calls: isParallel, others = {} }: Offered,
  clientTools: ClientTools,
): { tools: ClientTool[]; choice: ToolChoice; ignored: string[] } {
  const offered = listed ?? []
  const places = Object.keys(others).filter((place) => (others[place] ?? []).length > 0)
  const [refused] = [...(offered.length > 0 && clientTools === 'refuse' ? ['tools'] : []), ...places]
  if (refused !== undefined && clientTools !== 'ignore')
    throw unsupportedFeature({
      place: refused,
      feature: 'tools',
      advice: clientTools === 'bridge' ? 'send functions in tools' : ADVICE,
    })
  if (clientTools === 'ignore') {
    // An answer without the call would not be what the client can use.
    if (!FREE_CHOICES.includes(typeOf(choice)))
      throw unsupportedFeature({ place: 'tool_choice', feature: 'a call that is required', advice: ADVICE })
    return { tools: [], choice: { must: false }, ignored: [...(offered.length > 0 ? ['tools'] : []), ...places] }
  }
  if (offered.length > MOST_TOOLS) throw requestInvalid('tools', `must have at most ${MOST_TOOLS} entries`)
  const read = offered.map((tool, at) => readTool(tool, `tools[${at}]`))
  const tools = read.flatMap(({ tool }) => tool ?? [])
  const double = tools.find(({ name }, at) => tools.findIndex((each) => each.name === name) < at)
  if (double !== undefined) throw requestInvalid('tools', `must not have two functions with the name ${double.name}`)
  const ignored = new Set(read.flatMap((each) => each.ignored ?? []))
  const chosen = { ...readChoice(choice, tools), ...singleCall(choice, isParallel) }
  const isNone = chosen.only?.length === 0
  return { tools: isNone ? [] : tools, choice: chosen, ignored: [...ignored] }
}

function singleCall(choice: unknown, isParallel: Offered['parallel_tool_calls']): Pick<ToolChoice, 'isSingle'> {
  const isSingle = isParallel === false || (isObject(choice) && choice['disable_parallel_tool_use'] === true)
  return isSingle ? { isSingle } : {}
}

/** A function as one of the three APIs describes it. Tools that a vendor runs itself have other types. */
function readTool(tool: unknown, place: string): { tool?: ClientTool; ignored?: string } {
  if (!isObject(tool)) throw requestInvalid(place, 'must be an object')
  const type = textAt(tool, 'type') ?? 'custom'
  const { function: wrapped } = tool
  const isText = tool['type'] === 'custom' && tool['input_schema'] === undefined && textAt(tool, 'name') !== undefined
  const isFunction = type === 'function' || (type === 'custom' && tool['input_schema'] !== undefined)
  if (!isFunction && !isText) return { ignored: `tools of type ${type.slice(0, MOST_TYPE_CHARACTERS)}` }
  const [body, inner] = isObject(wrapped) ? [wrapped, `${place}.function`] : [tool, place]
  const name = textAt(body, 'name') ?? ''
  if (!TOOL_NAME.test(name))
    throw requestInvalid(`${inner}.name`, 'must be a name of 1 to 128 letters, digits, underscores and hyphens')
  if (isText) return { tool: toTextTool(name, tool) }
  const parameters = body['parameters'] ?? body['input_schema'] ?? {}
  if (!isObject(parameters)) throw requestInvalid(`${inner}.parameters`, 'must be a JSON Schema of an object')
  return { tool: { name, description: textAt(body, 'description'), parameters } }
}

/** A tool of the Responses API that takes a text, such as the patch tool of Codex. Agents only know functions. */
function toTextTool(name: string, { description, format }: JsonRecord): ClientTool {
  const grammar = isObject(format) ? textAt(format, 'definition') : undefined
  const rule = grammar === undefined ? [] : [`The input must match this grammar:\n${grammar}`]
  return {
    name,
    description: [typeof description === 'string' ? description : '', ...rule].join('\n\n').trim(),
    parameters: {
      ...{ type: 'object', properties: { input: { type: 'string' } } },
      ...{ required: ['input'], additionalProperties: false },
    },
    isText: true,
  }
}

/** What the client of such a tool gets, from the arguments that the agent wrote. */
export function readTextInput(input: string): string {
  const { input: text } = JSON.parse(input) as { input?: unknown }
  return typeof text === 'string' ? text : input
}

const MOST_TYPE_CHARACTERS = 64

const TOOL_ROLES = ['tool', 'function']
/** `tool_use`, `server_tool_use`, `web_search_tool_result`, `redacted_thinking`, `tool_addition`, and the like. */
const TOOL_PART = /(?:^|_)(?:tool_use|tool_result|thinking|tool_addition|tool_removal)$/

/** What the client's tools were asked and have answered. The places are those in the request. */
export function ignoreToolCalls(
  messages: readonly WireMessage[],
  clientTools: ClientTools,
): { messages: readonly WireMessage[]; ignored: string[] } {
  if (clientTools === 'refuse') return { messages, ignored: [] }
  const ignored = new Set<string>()
  const kept = messages.map((message, at): WireMessage => {
    const { role, content, tool_calls: calls, place = `messages[${at}]`, ...rest } = message
    if (TOOL_ROLES.includes(role)) {
      ignored.add('tool results')
      return { ...rest, place, role: 'user', content: '' }
    }
    if (Array.isArray(calls) && calls.length > 0) ignored.add('tool calls')
    if (!Array.isArray(content)) return { ...rest, place, role, content: content ?? '' }
    const parts = content.filter(({ type }) => !TOOL_PART.test(type))
    for (const { type } of content) if (TOOL_PART.test(type)) ignored.add(type)
    return { ...rest, place, role, content: parts }
  })
  return { messages: kept, ignored: [...ignored] }
}

type Asked = Parameters<typeof readTools>[0] & { messages: readonly WireMessage[] }

type Read = {
  messages: readonly WireMessage[]
  clientTools?: OfferedTools | undefined
  answer?: Omit<ToolAnswer, 'request'> | undefined
  ignored: readonly string[]
}

/** What a compatible request says with tools: those that it offers, and the calls and results in its messages. */
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
