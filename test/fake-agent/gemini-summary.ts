import type { DemoUsage } from '../../src/demo/demo-answer.ts'
import type { AgentOutput, ApiFailure, Facts, ToolOutcome } from './dialect.ts'
import { type Tally, toSummaryStats } from './gemini-stats.ts'
import type { Output } from './output.ts'

const STATUS_NAMES = {
  400: 'INVALID_ARGUMENT',
  401: 'UNAUTHENTICATED',
  402: 'UNKNOWN',
  403: 'PERMISSION_DENIED',
  404: 'NOT_FOUND',
  429: 'RESOURCE_EXHAUSTED',
  500: 'INTERNAL',
  503: 'UNKNOWN',
  529: 'UNKNOWN',
} as const

/** `gemini -o text`, which prints the words as they come, and `gemini -o json`, which prints one object at the end. */
export class GeminiSummary implements AgentOutput {
  readonly #facts: Facts
  readonly #isJson: boolean
  readonly #tally: Tally = { requests: 0, toolCalls: 0, toolFailures: 0 }
  #text = ''

  constructor(facts: Facts) {
    this.#facts = facts
    this.#isJson = facts.invocation.format === 'json'
  }

  request(): Output {
    this.#tally.requests++
    this.#text = ''
    return ''
  }

  word(text: string): Output {
    this.#text += text
    return this.#isJson ? '' : text
  }

  textEnd(): Output {
    return this.#isJson ? '' : '\n'
  }

  toolResult(_command: string, { output, isDenied }: ToolOutcome): Output {
    this.#tally.toolCalls++
    if (!isDenied) return ''
    this.#tally.toolFailures++
    return { stderr: `Error executing tool run_shell_command: ${output}\n` }
  }

  retry(attempt: number, failure?: ApiFailure): Output {
    return toRetryNotice(attempt, failure)
  }

  textLine(text: string): string {
    return `${text}\n`
  }

  finish(usage: DemoUsage): Output {
    if (!this.#isJson) return ''
    const { sessionId, model, elapsedMs } = this.#facts
    const stats = toSummaryStats({ model, elapsedMs: elapsedMs() }, usage, this.#tally)
    return prettyPrint({ session_id: sessionId, response: this.#text, stats })
  }

  /** Errors go to stderr, JSON too. */
  fail(failure: ApiFailure) {
    const upstream = JSON.stringify(toUpstreamError(failure))
    const report = `Error when talking to Gemini API ${upstream}\n`
    if (!this.#isJson) return { output: { stderr: `${report}An unexpected critical error occurred\n` }, exitCode: 1 }
    const error = { type: 'Error', message: upstream, code: failure.status }
    const json = prettyPrint({ session_id: this.#facts.sessionId, error })
    return { output: { stderr: `${report}${json}` }, exitCode: failure.status % 256 }
  }

  interrupt() {
    return { output: '', exitCode: 0, tool: 'left' } as const
  }
}

/** The error as the upstream model sends it. */
export function toUpstreamError({ status, message }: ApiFailure): object {
  return { error: { code: status, message, status: STATUS_NAMES[status] } }
}

export function toRetryNotice(attempt: number, { status }: Pick<ApiFailure, 'status'> = { status: 500 }): Output {
  return { stderr: `Attempt ${attempt} failed with status ${status}. Retrying with backoff...\n` }
}

function prettyPrint(value: object): string {
  return `${JSON.stringify(value, null, 2)}\n`
}
