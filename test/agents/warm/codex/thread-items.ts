/** Converts the items of a turn from the format of `codex app-server` to that of `codex exec`. */
import { type JsonObject, objectsAt, textAt, textsAt } from '../../../../src/agents/adapter/json-fields.ts'

/** The separator between the parts of a thought. */
export const PART_BREAK = '\n\n'

const TYPES: JsonObject = {
  agentMessage: 'agent_message',
  reasoning: 'reasoning',
  commandExecution: 'command_execution',
  fileChange: 'file_change',
  mcpToolCall: 'mcp_tool_call',
  webSearch: 'web_search',
}

export function toExecItem(item: JsonObject): JsonObject {
  const type = textAt(TYPES, textAt(item, 'type') ?? '')
  const spelled = { ...item, type, aggregated_output: item['aggregatedOutput'], exit_code: item['exitCode'] }
  return type === 'reasoning' ? { ...spelled, text: thoughtOf(item) } : spelled
}

/** Most models give summaries of their thoughts, few give the thoughts themselves. */
function thoughtOf(item: JsonObject): string {
  return textsAt(item, 'summary').join(PART_BREAK) || textsAt(item, 'content').join(PART_BREAK)
}

export function toTodoList(params: JsonObject): JsonObject {
  const items = objectsAt(params, 'plan').map((step) => ({ completed: textAt(step, 'status') === 'completed' }))
  return { type: 'todo_list', items }
}
