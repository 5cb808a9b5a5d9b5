import {
  type DemoFailure,
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
    const message = `unexpected status 500 Internal Server Error: ${failure.message}`
    const events = [
      { type: 'error', message: `Reconnecting... 1/1 (${message})` },
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
