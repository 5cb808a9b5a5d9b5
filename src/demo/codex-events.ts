import type { Failure, ToolCall, ToolResult } from './answer.ts'
import type { Facts, Interruption, Voice } from './dialect.ts'
import { asLines, NOTHING, type Said } from './said.ts'
import { addUsage, type Usage } from './usage.ts'

/** How codex tells a turn in events (`exec --json`): whole items, no pieces of text. */
export class CodexEvents implements Voice {
  readonly #facts: Facts
  #items = 0

  constructor(facts: Facts) {
    this.#facts = facts
  }

  begin(): Said {
    return asLines([{ type: 'thread.started', thread_id: this.#facts.sessionId }, { type: 'turn.started' }])
  }

  thought(text: string): Said {
    return asLines([this.#completed({ type: 'reasoning', text })])
  }

  textEnd(text: string): Said {
    return asLines([this.#completed({ type: 'agent_message', text })])
  }

  toolCall(call: ToolCall): Said {
    const running = { aggregated_output: '', exit_code: null, status: 'in_progress' }
    return asLines([{ type: 'item.started', item: { id: `item_${this.#items}`, ...toExecution(call), ...running } }])
  }

  toolResult(call: ToolCall, { output, exitCode }: ToolResult): Said {
    const status = exitCode === 0 ? 'completed' : 'failed'
    const aggregated_output = output === '' ? '' : `${output}\n`
    return asLines([this.#completed({ ...toExecution(call), aggregated_output, exit_code: exitCode, status })])
  }

  retry(attempt: number): Said {
    return asLines([{ type: 'error', message: `Reconnecting... ${attempt} (waiting for network)` }])
  }

  textLine(text: string): string {
    return `${JSON.stringify(this.#completed({ type: 'agent_message', text }))}\n`
  }

  /** The counts are those of the whole thread. */
  finish(usage: Usage): Said {
    const total = addUsage(this.#facts.priorUsage, usage)
    return asLines([
      {
        type: 'turn.completed',
        usage: {
          input_tokens: total.input,
          cached_input_tokens: total.cached,
          cache_write_input_tokens: 0,
          output_tokens: total.output,
          reasoning_output_tokens: total.reasoning,
        },
      },
    ])
  }

  fail(failure: Failure) {
    const message = sayFailure(failure)
    return {
      said: asLines([
        { type: 'error', message: `Reconnecting... 1/1 (${message})` },
        { type: 'error', message },
        { type: 'turn.failed', error: { message } },
      ]),
      exit: 1,
    }
  }

  interrupt(signal: Interruption) {
    return { said: NOTHING, exit: signal === 'SIGTERM' ? signal : 1, tool: 'ended' } as const
  }

  #completed(item: object): object {
    return { type: 'item.completed', item: { id: `item_${this.#items++}`, ...item } }
  }
}

export function sayFailure({ status, message }: Failure): string {
  if (status === 401) return `unexpected status 401 Unauthorized: ${message}`
  if (status === 429) return `exceeded retry limit, last status: 429 Too Many Requests: ${message}`
  return `unexpected status 500 Internal Server Error: ${message}`
}

/** As codex shows the command line of a tool. */
export function sayCommand(call: ToolCall): string {
  return `/bin/bash -lc '${call.command.replaceAll("'", `'\\''`)}'`
}

function toExecution(call: ToolCall): object {
  return { type: 'command_execution', command: sayCommand(call) }
}
