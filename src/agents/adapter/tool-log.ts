import type { AgentEvent } from './agent.ts'
import { isShallow } from './json-fields.ts'

type ToolCall = { id: string | undefined; name: string | undefined; input?: unknown }
type ToolOutcome = {
  id: string | undefined
  name?: string | undefined
  output?: string | undefined
  failure?: string | undefined
}

/** The tool calls of one run. A result refers to its call by id alone, so the names are remembered here. */
export class ToolLog {
  readonly #names = new Map<string, string>()

  get isEmpty(): boolean {
    return this.#names.size === 0
  }

  use({ id, name = 'unknown', input }: ToolCall): AgentEvent {
    if (id !== undefined) this.#names.set(id, name)
    return {
      type: 'tool_use',
      content: {
        ...(id !== undefined && { tool_id: id }),
        tool_name: name,
        // A deeper value could not be serialized again.
        ...(input !== undefined && isShallow(input) && { input }),
      },
    }
  }

  /** For agents that report a call several times, or only its end: the event is returned the first time alone. */
  announce(call: ToolCall): AgentEvent[] {
    return call.id !== undefined && this.#names.has(call.id) ? [] : [this.use(call)]
  }

  result({ id, name, output, failure }: ToolOutcome): AgentEvent {
    return {
      type: 'tool_result',
      content: {
        ...(id !== undefined && { tool_id: id }),
        tool_name: this.#names.get(id ?? '') ?? name ?? 'unknown',
        ...(output !== undefined && { output }),
        ...(failure !== undefined && { is_error: true, error_message: failure }),
      },
    }
  }
}
