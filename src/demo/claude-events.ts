/** The events of claude's stream that are the same wherever in a turn they come. */
import type { Failure, ToolCall, ToolResult } from './answer.ts'
import { toCounts } from './claude-result.ts'
import type { Facts } from './dialect.ts'
import { NO_USAGE } from './usage.ts'

/** A part of a message: text, thinking, a tool call or its result. */
export type Block = { type: string; [field: string]: unknown }

const ERROR_NAMES = { 401: 'authentication_failed', 429: 'rate_limit', 500: 'server_error' } as const

export function toInit({ cwd, sessionId, model, invocation, newId }: Facts): object {
  return {
    type: 'system',
    subtype: 'init',
    cwd,
    session_id: sessionId,
    tools: ['Bash'],
    mcp_servers: [],
    model,
    permissionMode: invocation.permission,
    slash_commands: [],
    apiKeySource: 'none',
    claude_code_version: 'drover demo',
    output_style: 'default',
    agents: [],
    skills: [],
    plugins: [],
    uuid: newId(),
  }
}

/** The counts in a message are those at its start; only the closing event has the real ones. */
export function toMessage(facts: Facts, message: { id: string; promptTokens: number; content: readonly Block[] }) {
  return {
    id: message.id,
    type: 'message',
    role: 'assistant',
    model: facts.model,
    content: message.content,
    stop_reason: null,
    stop_sequence: null,
    usage: toCounts({ ...NO_USAGE, input: message.promptTokens, output: 1 }),
  }
}

/** The message that stands where the model's would have been. */
export function toErrorMessage(id: string, text: string): object {
  return {
    id,
    container: null,
    model: '<synthetic>',
    role: 'assistant',
    stop_details: null,
    stop_reason: 'stop_sequence',
    stop_sequence: '',
    type: 'message',
    usage: toCounts(NO_USAGE),
    content: [{ type: 'text', text }],
    context_management: null,
  }
}

export function toRetry({ sessionId, newId }: Facts, retry: { attempt: number; status: Failure['status'] }): object {
  return {
    type: 'system',
    subtype: 'api_retry',
    attempt: retry.attempt,
    max_retries: retry.attempt,
    retry_delay_ms: 0,
    error_status: retry.status,
    error: toErrorName(retry.status),
    session_id: sessionId,
    uuid: newId(),
  }
}

export function toErrorName(status: Failure['status']): string {
  return ERROR_NAMES[status]
}

export function toToolInput(call: ToolCall): object {
  return { command: call.command, description: 'Run a command' }
}

export function toToolResult(toolId: string, result: ToolResult): { content: Block; tool_use_result: unknown } {
  const isError = result.isDenied || result.exitCode !== 0
  return {
    content: { type: 'tool_result', tool_use_id: toolId, content: result.output, is_error: isError },
    tool_use_result: isError
      ? `Error: ${result.output}`
      : { stdout: result.output, stderr: '', interrupted: false, isImage: false, noOutputExpected: false },
  }
}
