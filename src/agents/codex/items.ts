/** The items of a codex turn: messages, reasoning and tool calls. */
import type { AgentEvent, Denial } from '../adapter/agent.ts'
import { messageEvents, thinkingEvents } from '../adapter/events.ts'
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
import type { ToolLog } from '../adapter/tool-log.ts'

type ItemOptions = {
  item: JsonRecord
  isCompleted: boolean
  tools: ToolLog
}

export function readItem(options: ItemOptions): AgentEvent[] {
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
export function denialIn(item: JsonRecord, tools: ToolLog): Denial | undefined {
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
