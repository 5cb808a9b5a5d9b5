import type { AgentEvent, Denial } from './agent.ts'
import { readSubject } from './denials.ts'
import { isShallow } from './json-fields.ts'

type ToolCall = { id: string | undefined; name: string | undefined; input?: unknown }
type ToolOutcome = {
  id: string | undefined
  name?: string | undefined
  output?: string | undefined
  failure?: string | undefined
}

/** The tool calls of one run. A result refers to its call by id alone, so the calls are remembered here. */
export class ToolLog {
  readonly #calls = new Map<string, { name: string; subject: string | undefined }>()

  get isEmpty(): boolean {
    return this.#calls.size === 0
  }

  /** The denial of a call that was reported before. */
  denialOf({ id, name }: Pick<ToolCall, 'id' | 'name'>, needs?: Denial['needs']): Denial {
    const call = this.#calls.get(id ?? '')
    return { tool: call?.name ?? name ?? 'unknown', subject: call?.subject, needs }
  }

  use({ id, name = 'unknown', input }: ToolCall): AgentEvent {
    if (id !== undefined) this.#calls.set(id, { name, subject: readSubject(input) })
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
    return call.id !== undefined && this.#calls.has(call.id) ? [] : [this.use(call)]
  }

  result({ id, name, output, failure }: ToolOutcome): AgentEvent {
    return {
      type: 'tool_result',
      content: {
        ...(id !== undefined && { tool_id: id }),
        tool_name: this.#calls.get(id ?? '')?.name ?? name ?? 'unknown',
        ...(output !== undefined && { output }),
        ...(failure !== undefined && { is_error: true, error_message: failure }),
      },
    }
  }
}
