import {
  type DemoFailure,
  type DemoFunctionCall,
  type DemoToolResult,
  type DemoTurnFacts,
  type DemoUsage,
  type TurnOutput,
  toLines,
} from './demo-answer.ts'

/** `codex exec --json`: whole items, no pieces of text. */
export class DemoCodexOutput implements TurnOutput {
  readonly #sessionId: string
  #items = 0

  constructor({ sessionId }: Pick<DemoTurnFacts, 'sessionId'>) {
    this.#sessionId = sessionId
  }

  begin(): string {
    return toLines([{ type: 'thread.started', thread_id: this.#sessionId }, { type: 'turn.started' }])
  }

  thinking(text: string): string {
    return this.#completed({ type: 'reasoning', text })
  }

  textEnd(text: string): string {
    return this.#completed({ type: 'agent_message', text })
  }

  toolCall(command: string): string {
    const item = { id: `item_${this.#items}`, type: 'command_execution', command: toCommandLine(command) }
    const running = { aggregated_output: '', exit_code: null, status: 'in_progress' }
    return toLines([{ type: 'item.started', item: { ...item, ...running } }])
  }

  toolResult(command: string, { output, exitCode }: DemoToolResult): string {
    const item = { type: 'command_execution', command: toCommandLine(command) }
    const aggregated_output = output === '' ? '' : `${output}\n`
    const status = exitCode === 0 ? 'completed' : 'failed'
    return this.#completed({ ...item, aggregated_output, exit_code: exitCode, status })
  }

  functionCall({ server, name, input }: DemoFunctionCall): string {
    const item = { id: `item_${this.#items}`, type: 'mcp_tool_call', server, tool: name, arguments: input }
    return toLines([{ type: 'item.started', item: { ...item, result: null, error: null, status: 'in_progress' } }])
  }

  functionResult(
    { server, name, input }: DemoFunctionCall,
    { text, isError }: { text: string; isError: boolean },
  ): string {
    const item = { type: 'mcp_tool_call', server, tool: name, arguments: input }
    const result = { content: [{ type: 'text', text }], structured_content: null }
    const end = isError
      ? { result: null, error: { message: text }, status: 'failed' }
      : { result, error: null, status: 'completed' }
    return this.#completed({ ...item, ...end })
  }

  finish({ input, cached, output, reasoning }: DemoUsage): string {
    const usage = {
      input_tokens: input,
      cached_input_tokens: cached,
      cache_write_input_tokens: 0,
      output_tokens: output,
      reasoning_output_tokens: reasoning,
    }
    return toLines([{ type: 'turn.completed', usage }])
  }

  fail(failure: DemoFailure) {
    const message = toMessage(failure)
    const events = [
      ...(failure.status >= 500 ? [{ type: 'error', message: `Reconnecting... 1/1 (${message})` }] : []),
      { type: 'error', message },
      { type: 'turn.failed', error: { message } },
    ]
    return { output: toLines(events), exitCode: 1 }
  }

  #completed(item: object): string {
    return toLines([{ type: 'item.completed', item: { id: `item_${this.#items++}`, ...item } }])
  }
}

/** The command line as codex shows it. */
export function toCommandLine(command: string): string {
  return `/bin/bash -lc '${command.replaceAll("'", `'\\''`)}'`
}

function toMessage({ status, message, resetSecs }: DemoFailure): string {
  if (resetSecs !== undefined) return `You've hit your usage limit: ${message}. Try again in ${resetSecs} seconds.`
  if (status === 529) return `Selected model is at capacity: ${message}. Please try a different model.`
  if (status === 401) return `unexpected status 401 Unauthorized: ${message}`
  return `unexpected status 500 Internal Server Error: ${message}`
}
