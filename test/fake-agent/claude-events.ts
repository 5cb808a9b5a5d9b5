/** Events of claude's stream that do not depend on the steps before them. */
import { toCounts } from './claude-result.ts'
import type { ApiFailure, Facts, ToolOutcome } from './dialect.ts'
import { NO_USAGE } from './usage.ts'

/** A part of a message: text, thinking, a tool call or its result. */
export type Block = { type: string; [field: string]: unknown }

const ERROR_NAMES = {
  400: 'invalid_request',
  401: 'authentication_failed',
  402: 'billing_error',
  403: 'authentication_failed',
  404: 'model_not_found',
  429: 'rate_limit',
  500: 'server_error',
  503: 'server_error',
  529: 'overloaded',
} as const

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
    claude_code_version: 'fake',
    output_style: 'default',
    agents: [],
    skills: [],
    plugins: [],
    uuid: newId(),
  }
}

/** A message has the token counts at its start; only the result has the final ones. */
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

/** The message that claude prints in place of the model's. */
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

type Retry = Pick<ApiFailure, 'status' | 'retryAfterSecs'> & { attempt: number }

export function toRetry({ sessionId, newId }: Facts, retry: Retry): object {
  return {
    type: 'system',
    subtype: 'api_retry',
    attempt: retry.attempt,
    max_retries: retry.attempt,
    retry_delay_ms: (retry.retryAfterSecs ?? 0) * 1000,
    error_status: retry.status,
    error: toErrorName(retry.status),
    session_id: sessionId,
    uuid: newId(),
  }
}

export function toErrorName(status: ApiFailure['status']): string {
  return ERROR_NAMES[status]
}

export function toToolInput(command: string): object {
  return { command, description: 'Run a command' }
}

export function toToolResult(toolId: string, result: ToolOutcome): { content: Block; tool_use_result: unknown } {
  const isError = result.isDenied || result.exitCode !== 0
  return {
    content: { type: 'tool_result', tool_use_id: toolId, content: result.output, is_error: isError },
    tool_use_result: isError
      ? `Error: ${result.output}`
      : { stdout: result.output, stderr: '', interrupted: false, isImage: false, noOutputExpected: false },
  }
}
