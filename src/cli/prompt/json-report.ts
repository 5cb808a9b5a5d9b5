/** The JSON of one prompt: the result as over HTTP, and beside it fields for scripts. */
import type { Backend } from '../../agents/adapter/agent.ts'
import type { JsonObject } from '../../kit/json/json-value.ts'
import type { PromptResult } from '../../prompts/prompt-result.ts'

type Raw = JsonObject | { events: JsonObject[] }

export type JsonReport = PromptResult & {
  /** Same as `output`. */
  content: string
  duration_seconds: number
  /** Missing if the agent reported no tokens. */
  usage?: { input_tokens: number; output_tokens: number; total_tokens: number }
  /** What the agent printed: the last object of claude and gemini, every event of codex. */
  raw?: Raw
}

export function toJsonReport(result: PromptResult, raw: Raw | undefined): JsonReport {
  const { input_tokens: input, output_tokens: output } = result.token_usage
  return {
    ...result,
    content: result.output,
    duration_seconds: result.duration_ms / 1000,
    ...(input + output > 0 && {
      usage: { input_tokens: input, output_tokens: output, total_tokens: input + output },
    }),
    ...(raw !== undefined && { raw }),
  }
}

/** More than the events of any useful answer; all of them are held in memory. */
const RAW_LIMIT_BYTES = 16 * 1024 * 1024

/** Collects the lines of an agent for `raw`. */
export class RawOutput {
  readonly #backend: Backend
  readonly #events: JsonObject[] = []
  #bytes = 0

  constructor(backend: Backend) {
    this.#backend = backend
  }

  add(line: string): void {
    const event = toObject(line)
    if (event === undefined) return
    if (this.#backend === 'codex') this.#bytes += Buffer.byteLength(line)
    else this.#events.length = 0
    if (this.#bytes <= RAW_LIMIT_BYTES) this.#events.push(event)
  }

  /** Undefined if the agent printed no JSON, or too much. */
  value(): Raw | undefined {
    if (this.#events.length === 0 || this.#bytes > RAW_LIMIT_BYTES) return undefined
    return this.#backend === 'codex' ? { events: this.#events } : this.#events[0]
  }
}

function toObject(line: string): JsonObject | undefined {
  try {
    const value: unknown = JSON.parse(line)
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as JsonObject) : undefined
  } catch {
    return undefined
  }
}
