/** Turns the events of a prompt into updates for an editor. */
import type { AgentEvent, ApprovalRequest, ContextUsage, Usage } from '../agents/adapter/agent.ts'
import { describeRequest, describeToolInput } from '../agents/describe-for-people.ts'
import { toRevealed } from '../kit/printable-text.ts'

type Update = { sessionUpdate: string; [field: string]: unknown }

const KINDS: readonly (readonly [RegExp, string])[] = [
  [/bash|shell|exec|command|terminal/i, 'execute'],
  [/edit|write|patch|replace|file_change|notebook/i, 'edit'],
  [/web|fetch|url/i, 'fetch'],
  [/grep|glob|search|find|list|^ls$/i, 'search'],
  [/read|view|cat|open/i, 'read'],
  [/think|todo|plan/i, 'think'],
]

/** The kind of a tool, by its name: each agent has its own names. */
function kindOfTool(name: string): string {
  return KINDS.find(([pattern]) => pattern.test(name))?.[1] ?? 'other'
}

const MAX_TITLE = 200

function toCallTitle(name: string, input: unknown): string {
  const title = toWholeTitle(name, input)
  return title.length > MAX_TITLE ? `${title.slice(0, MAX_TITLE - 1)}…` : title
}

function toWholeTitle(name: string, input: unknown): string {
  const what = describeToolInput(input).replaceAll(/\s+/g, ' ')
  return what === '' ? name : `${name}: ${what}`
}

const chunk = (sessionUpdate: string, text: string): Update => ({ sessionUpdate, content: { type: 'text', text } })

export const userText = (text: string) => chunk('user_message_chunk', text)
export const agentText = (text: string) => chunk('agent_message_chunk', text)

/** A tool call of an earlier turn. */
export function pastTool(toolCallId: string, { name, input }: { name: string; input: string }): Update {
  const title = input === '' ? name : `${name}: ${input}`
  return { sessionUpdate: 'tool_call', toolCallId, title, kind: kindOfTool(name), status: 'completed' }
}

/** The updates of one turn. Agents count their tool calls from the start in every turn; editors need different ids. */
export class EditorUpdates {
  readonly #prefix: string
  readonly #open: { id: string; name: string }[] = []
  #tools = 0
  #isAfterMessage = false

  constructor(prefix: string) {
    this.#prefix = prefix
  }

  /** Undefined if the event is nothing for an editor. */
  of(event: AgentEvent): Update | undefined {
    switch (event.type) {
      case 'message':
        return this.#message(event.content)
      case 'thinking':
        return chunk('agent_thought_chunk', event.content.text)
      case 'tool_use':
        return this.#begin(event.content)
      case 'tool_result':
        return this.#end(event.content)
      default:
        return undefined
    }
  }

  /** The tool call that an agent asks about: all of it, and nothing hidden, because the user of the editor decides. */
  ofApproval(request: ApprovalRequest): object {
    const { tool_id: id, tool_name: name, input, command, reason } = request
    const toolCallId = id === undefined ? this.#nextId() : `${this.#prefix}${id}`
    const texts = [describeRequest(request), ...(reason === undefined ? [] : [`Its reason: ${reason}`])]
    return {
      toolCallId,
      title: toRevealed(toWholeTitle(name, input ?? command)),
      kind: kindOfTool(name),
      status: 'pending',
      ...(input !== undefined && { rawInput: input }),
      content: texts.filter((text) => text !== '').map((text) => textContent(toRevealed(text))),
    }
  }

  #message({ text, is_partial: isPartial }: { text: string; is_partial?: boolean }): Update {
    const isNewParagraph = this.#isAfterMessage && isPartial !== true
    this.#isAfterMessage = isPartial !== true
    return agentText(isNewParagraph ? `\n\n${text}` : text)
  }

  #begin({ tool_id: id, tool_name: name, input }: { tool_id?: string; tool_name: string; input?: unknown }): Update {
    const toolCallId = id === undefined ? this.#nextId() : `${this.#prefix}${id}`
    this.#open.push({ id: toolCallId, name })
    this.#isAfterMessage = false
    const path = pathIn(input)
    return {
      sessionUpdate: 'tool_call',
      toolCallId,
      title: toCallTitle(name, input),
      kind: kindOfTool(name),
      status: 'in_progress',
      ...(input !== undefined && { rawInput: input }),
      ...(path !== undefined && { locations: [{ path }] }),
    }
  }

  #end(content: Extract<AgentEvent, { type: 'tool_result' }>['content']): Update {
    const { tool_id: id, tool_name: name, output, is_error: isError, error_message: problem } = content
    const toolCallId = id === undefined ? this.#lastOpen(name) : `${this.#prefix}${id}`
    const text = output ?? problem
    return {
      sessionUpdate: 'tool_call_update',
      toolCallId,
      status: isError === true ? 'failed' : 'completed',
      ...(text !== undefined && text !== '' && { content: [textContent(text)] }),
    }
  }

  #lastOpen(name: string): string {
    return this.#open.findLast((tool) => tool.name === name)?.id ?? this.#nextId()
  }

  #nextId(): string {
    this.#tools += 1
    return `${this.#prefix}tool-${this.#tools}`
  }
}

function textContent(text: string): object {
  return { type: 'content', content: { type: 'text', text } }
}

/** Editors show absolute paths as links. */
function pathIn(input: unknown): string | undefined {
  if (typeof input !== 'object' || input === null) return undefined
  const { file_path: file, path } = input as { file_path?: unknown; path?: unknown }
  return [file, path].find((each): each is string => typeof each === 'string' && each.startsWith('/'))
}

/** How full the context is, and what the session has cost so far, if that is known. */
export function toUsageUpdate({ used_tokens: used, window_tokens: size }: ContextUsage, costUsd?: number): Update {
  const cost = costUsd !== undefined && costUsd > 0 && { cost: { amount: costUsd, currency: 'USD' } }
  return { sessionUpdate: 'usage_update', used, size, ...cost }
}

/** The counts of a turn, as other agents report them. */
export function toEditorUsage(usage: Usage): object {
  const { input_tokens: input, output_tokens: output, cached_tokens: cached, reasoning_tokens: thought } = usage
  return {
    totalTokens: input + output,
    inputTokens: input,
    outputTokens: output,
    cachedReadTokens: cached,
    thoughtTokens: thought,
  }
}
