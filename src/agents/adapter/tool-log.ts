import type { AgentEvent } from './agent.ts'
import { isShallow } from './json-fields.ts'

type Call = { id: string | undefined; name: string | undefined; input?: unknown }
type Outcome = {
  id: string | undefined
  name?: string | undefined
  output?: string | undefined
  failure?: string | undefined
}

/** The tools used in one run. A result names its call by the id alone, so the names are kept here. */
export class ToolLog {
  readonly #names = new Map<string, string>()

  get isEmpty(): boolean {
    return this.#names.size === 0
  }

  use({ id, name = 'unknown', input }: Call): AgentEvent {
    if (id !== undefined) this.#names.set(id, name)
    return {
      type: 'tool_use',
      content: {
        ...(id !== undefined && { tool_id: id }),
        tool_name: name,
        // Deeper than anybody could write it down again.
        ...(input !== undefined && isShallow(input) && { input }),
      },
    }
  }

  /** For agents that tell of a call several times, or of its end alone: the event of the first time. */
  announce(call: Call): AgentEvent[] {
    return call.id !== undefined && this.#names.has(call.id) ? [] : [this.use(call)]
  }

  result({ id, name, output, failure }: Outcome): AgentEvent {
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
