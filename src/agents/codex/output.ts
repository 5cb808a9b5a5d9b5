/** Reads `codex exec --json`, with the names that earlier releases used too. */
import { stripVTControlCharacters } from 'node:util'
import type { AgentEvent, Denial, Usage } from '../adapter/agent.ts'
import type { AgentFailure } from '../adapter/failure.ts'
import {
  countAt,
  isObject,
  type JsonRecord,
  objectAt,
  objectsAt,
  parseObject,
  textAt,
  toText,
} from '../adapter/json-fields.ts'
import { type AgentOutput, emptySummary, initEvent, messageEvents, thinkingEvents } from '../adapter/output-reader.ts'
import { cacheWrites, usageEvents, withoutPrior } from '../adapter/token-usage.ts'
import { ToolLog } from '../adapter/tool-log.ts'

/** A notice about a retry. The final error looks the same, but is followed by `turn.failed`. */
const RETRY = /^Reconnecting\b/

/** What codex logs about a tool call that it did not start. */
const REJECTED = /tools::router: error=(?:(patch) rejected\b|approval policy is Never; reject command\b)/g

export class CodexOutput implements AgentOutput {
  readonly backend = 'codex'
  readonly #summary = emptySummary()
  readonly #prior: Usage | undefined
  readonly #tools = new ToolLog()
  readonly #denials: Denial[] = []

  constructor(prior: Usage | undefined) {
    this.#prior = prior
  }

  summary() {
    return { ...this.#summary, denials: this.#denials }
  }

  /** A rejected patch has no event at all. A process that stays up logs in color. */
  deniedOnStderr(stderrTail: string): Denial[] {
    return [...stripVTControlCharacters(stderrTail).matchAll(REJECTED)].map(([, patch]) =>
      patch === undefined ? { tool: 'command_execution', needs: 'everything' } : { tool: 'apply_patch' },
    )
  }

  read(line: JsonRecord): AgentEvent[] | undefined {
    switch (textAt(line, 'type')) {
      case 'thread.started':
        return this.#readStart(line)
      case 'turn.started':
        return [{ type: 'progress', content: { stage: 'turn_started' } }]
      case 'item.started':
      case 'item.updated':
      case 'item.completed':
        return this.#readItem(line)
      case 'turn.completed':
        return this.#readCompleted(line)
      case 'turn.failed':
        return this.#readFailed(line)
      case 'error':
        return this.#readError(line)
      case 'reasoning':
        return readItem({ item: line, isCompleted: true, tools: this.#tools })
      case 'event_msg':
        return this.#readCount(objectAt(line, 'payload'))
      default:
        return undefined
    }
  }

  /** Only a process that stays up names the model. */
  #readStart(line: JsonRecord): AgentEvent[] {
    const [sessionId, model] = [textAt(line, 'thread_id'), textAt(line, 'model')]
    this.#summary.sessionId = sessionId
    this.#summary.model = model
    return [initEvent({ model, sessionId })]
  }

  #readItem(line: JsonRecord): AgentEvent[] {
    const item = objectAt(line, 'item') ?? {}
    const events = readItem({ item, isCompleted: textAt(line, 'type') === 'item.completed', tools: this.#tools })
    const denial = denialIn(item, this.#tools)
    if (denial !== undefined && textAt(line, 'type') === 'item.completed') this.#denials.push(denial)
    // The last message is the answer; earlier ones comment on the work.
    for (const event of events) if (event.type === 'message') this.#summary.text = event.content.text
    return events
  }

  #readCompleted(line: JsonRecord): AgentEvent[] {
    this.#summary.outcome = 'success'
    return this.#count(objectAt(line, 'usage'))
  }

  #readFailed(line: JsonRecord): AgentEvent[] {
    const message = textAt(objectAt(line, 'error'), 'message') || this.#summary.lastError?.message
    this.#summary.outcome = unwrapRejection(message || 'codex reports that the turn failed')
    return []
  }

  #readError(line: JsonRecord): AgentEvent[] {
    const message = textAt(line, 'message') ?? ''
    if (RETRY.test(message)) {
      this.#summary.lastRetry = unwrapRejection(message.replace(/^[^(]*\((.*)\)$/s, '$1'))
      return [{ type: 'progress', content: { stage: 'retry', message } }]
    }
    this.#summary.lastError = unwrapRejection(message)
    return []
  }

  /** How earlier releases counted tokens. */
  #readCount(payload: JsonRecord | undefined): AgentEvent[] {
    if (textAt(payload, 'type') !== 'token_count') return []
    const info = objectAt(payload, 'info') ?? payload
    return this.#count(objectAt(info, 'total_token_usage') ?? info)
  }

  #count(usage: JsonRecord | undefined): AgentEvent[] {
    const total = toUsage(usage)
    this.#summary.threadUsage = total
    this.#summary.usage = usageOfTurn(total, this.#prior)
    return usageEvents(this.#summary.usage)
  }
}

/** If the model service answers 400, codex passes on the body of the answer and nothing else. */
function unwrapRejection(message: string): AgentFailure {
  const body = parseObject(message)
  if (body === undefined) return { message }
  return { message: textAt(objectAt(body, 'error'), 'message') ?? textAt(body, 'detail') ?? message, status: 400 }
}

/** Codex's counts, in the spelling of `exec` or of `app-server`. The input includes what was cached. */
export function toUsage(counts: JsonRecord | undefined): Usage {
  return {
    input_tokens: countAt(counts, 'input_tokens', 'inputTokens') ?? 0,
    output_tokens: countAt(counts, 'output_tokens', 'outputTokens') ?? 0,
    cached_tokens: countAt(counts, 'cached_input_tokens', 'cachedInputTokens') ?? 0,
    reasoning_tokens: countAt(counts, 'reasoning_output_tokens', 'reasoningOutputTokens') ?? 0,
    ...cacheWrites(countAt(counts, 'cache_write_input_tokens', 'cacheWriteInputTokens')),
  }
}

/** Codex counts the usage of the whole thread. */
export function usageOfTurn(total: Usage, prior: Usage | undefined): Usage {
  return prior === undefined ? total : withoutPrior(total, prior)
}

type ItemOptions = {
  item: JsonRecord
  isCompleted: boolean
  tools: ToolLog
}

/** The items of a codex turn: messages, reasoning and tool calls. */
function readItem(options: ItemOptions): AgentEvent[] {
  const { item, isCompleted, tools } = options
  const id = itemId(item)
  switch (textAt(item, 'type')) {
    case 'agent_message':
    case 'message':
      return isCompleted ? messageEvents(itemText(item), { isPartial: false }) : []
    case 'reasoning':
      return isCompleted ? thinkingEvents(itemText(item), { isPartial: false }) : []
    case 'command_execution':
    case 'file_change':
    case 'mcp_tool_call':
    case 'web_search':
      return readTool(options)
    case 'function_call':
      return isCompleted ? [tools.use({ id, name: textAt(item, 'name'), input: parseArguments(item) })] : []
    case 'function_call_output':
      return isCompleted ? [tools.result({ id, output: toText(item['output']) })] : []
    case 'todo_list':
      return [todoEvent(objectsAt(item, 'items'))]
    case 'error':
      // Only a warning: the turn continues.
      return [{ type: 'progress', content: { stage: 'warning', message: textAt(item, 'message') ?? '' } }]
    default:
      return []
  }
}

function itemText(item: JsonRecord): string | undefined {
  return textAt(item, 'text') ?? toText(item['content'])
}

function readTool({ item, isCompleted, tools }: ItemOptions): AgentEvent[] {
  const [id, name] = [itemId(item), toolName(item)]
  const call = tools.announce({ id, name, input: itemInput(item) })
  return isCompleted ? [...call, tools.result({ id, name, ...itemOutcome(item) })] : call
}

const READ_ONLY = /Read-only file system/
/** Codex runs every command in a shell: `/bin/bash -lc 'echo hello'`. */
const SHELL = /^\S*sh -l?c '(.*)'$/s
const NEEDS_APPROVAL = /approval policy is never/i

/** The denial in a completed item. The sandbox lets a command run and refuses its writes, so only the output tells. */
function denialIn(item: JsonRecord, tools: ToolLog): Denial | undefined {
  const call = { id: itemId(item), name: toolName(item) }
  const { output = '', failure = '' } = itemOutcome(item)
  if (NEEDS_APPROVAL.test(failure)) return tools.denialOf(call, 'everything')
  const isRefused = textAt(item, 'type') === 'command_execution' && READ_ONLY.test(output)
  if (!isRefused && textAt(item, 'status') !== 'declined') return undefined
  const { subject, ...denial } = tools.denialOf(call)
  return { ...denial, subject: subject?.replace(SHELL, '$1') }
}

function itemId(item: JsonRecord): string | undefined {
  return textAt(item, 'call_id', 'id')
}

function toolName(item: JsonRecord): string | undefined {
  const [server, tool] = [textAt(item, 'server'), textAt(item, 'tool')]
  if (server !== undefined && tool !== undefined) return `${server}.${tool}`
  return textAt(item, 'type')
}

function itemInput(item: JsonRecord): unknown {
  switch (textAt(item, 'type')) {
    case 'command_execution':
      return { command: textAt(item, 'command') ?? '' }
    case 'file_change':
      return { changes: objectsAt(item, 'changes') }
    case 'web_search':
      return { query: textAt(item, 'query') ?? '' }
    default:
      return item['arguments']
  }
}

/** The arguments of a function call are JSON in a string. */
function parseArguments(item: JsonRecord): unknown {
  const text = textAt(item, 'arguments')
  return text === undefined ? item['arguments'] : (parseObject(text) ?? text)
}

function itemOutcome(item: JsonRecord) {
  const result = item['result']
  const output = textAt(item, 'aggregated_output') ?? toText(isObject(result) ? (result['content'] ?? result) : result)
  return { output, failure: itemFailure(item) }
}

function itemFailure(item: JsonRecord): string | undefined {
  const [status, exitCode] = [textAt(item, 'status'), countAt(item, 'exit_code')]
  const error = textAt(objectAt(item, 'error'), 'message') ?? textAt(item, 'error')
  if (error !== undefined) return error
  if (exitCode !== undefined && exitCode !== 0) return `exit code ${exitCode}`
  return status === 'failed' || status === 'declined' ? status : undefined
}

function todoEvent(items: readonly JsonRecord[]): AgentEvent {
  const done = items.filter((item) => item['completed'] === true).length
  const percent = items.length === 0 ? 0 : Math.round((100 * done) / items.length)
  return { type: 'progress', content: { stage: 'todo_list', percent, message: `${done} of ${items.length} done` } }
}
