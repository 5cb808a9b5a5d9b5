import type { Failure, ToolCall, ToolResult } from './answer.ts'
import type { Facts, Voice } from './dialect.ts'
import { type Tally, toSummaryStats } from './gemini-stats.ts'
import { NOTHING, onStderr, onStdout, type Said } from './said.ts'
import type { Usage } from './usage.ts'

const STATUS_NAMES = { 401: 'UNAUTHENTICATED', 429: 'RESOURCE_EXHAUSTED', 500: 'INTERNAL' } as const

/** How gemini tells a turn without events: `text` as it comes, or one `json` object at the end. */
export class GeminiSummary implements Voice {
  readonly #facts: Facts
  readonly #isJson: boolean
  readonly #tally: Tally = { requests: 0, toolCalls: 0, toolFailures: 0 }
  #text = ''

  constructor(facts: Facts) {
    this.#facts = facts
    this.#isJson = facts.invocation.format === 'json'
  }

  request(): Said {
    this.#tally.requests++
    this.#text = ''
    return NOTHING
  }

  word(text: string): Said {
    this.#text += text
    return this.#isJson ? NOTHING : onStdout(text)
  }

  textEnd(): Said {
    return this.#isJson ? NOTHING : onStdout('\n')
  }

  toolResult(_call: ToolCall, { output, isDenied }: ToolResult): Said {
    this.#tally.toolCalls++
    if (!isDenied) return NOTHING
    this.#tally.toolFailures++
    return onStderr(`Error executing tool run_shell_command: ${output}\n`)
  }

  retry(attempt: number): Said {
    return sayRetry(attempt)
  }

  textLine(text: string): string {
    return `${text}\n`
  }

  finish(usage: Usage): Said {
    if (!this.#isJson) return NOTHING
    const { sessionId, model, elapsedMs } = this.#facts
    const stats = toSummaryStats({ model, elapsedMs: elapsedMs() }, usage, this.#tally)
    return onStdout(prettyPrint({ session_id: sessionId, response: this.#text, stats }))
  }

  /** Errors go to stderr, JSON too. */
  fail(failure: Failure) {
    const upstream = JSON.stringify(toUpstreamError(failure))
    const report = onStderr(`Error when talking to Gemini API ${upstream}\n`)
    if (!this.#isJson) return { said: [...report, ...onStderr('An unexpected critical error occurred\n')], exit: 1 }
    const error = { type: 'Error', message: upstream, code: failure.status }
    const json = onStderr(prettyPrint({ session_id: this.#facts.sessionId, error }))
    return { said: [...report, ...json], exit: failure.status % 256 }
  }

  interrupt() {
    return { said: NOTHING, exit: 0, tool: 'left' } as const
  }
}

/** The error as the upstream model sends it. */
export function toUpstreamError({ status, message }: Failure): object {
  return { error: { code: status, message, status: STATUS_NAMES[status] } }
}

export function sayRetry(attempt: number): Said {
  return onStderr(`Attempt ${attempt} failed with status 500. Retrying with backoff...\n`)
}

function prettyPrint(value: object): string {
  return `${JSON.stringify(value, null, 2)}\n`
}
