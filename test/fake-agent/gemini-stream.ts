import { toLines } from '../../src/demo/demo-answer.ts'
import { DemoGeminiOutput } from '../../src/demo/gemini-output.ts'
import type { AgentOutput, ApiFailure, ToolOutcome } from './dialect.ts'
import { toRetryNotice, toUpstreamError } from './gemini-summary.ts'
import type { Output } from './output.ts'

/** `gemini -o stream-json`, with denied tools, failures, retries and interruptions. */
export class GeminiStream extends DemoGeminiOutput implements AgentOutput {
  override toolResult(command: string, result: ToolOutcome): string {
    const line = super.toolResult(command, result)
    if (!result.isDenied) return line
    const error = { type: 'tool_not_registered', message: result.output }
    return toLines([{ ...JSON.parse(line), status: 'error', error }])
  }

  retry(attempt: number, failure?: ApiFailure): Output {
    return toRetryNotice(attempt, failure)
  }

  textLine(text: string): string {
    return this.word(text)
  }

  override fail(failure: ApiFailure) {
    const event = JSON.parse(super.fail({ ...failure, status: 500 }).output)
    const { status, retryAfterSecs } = failure
    // Gemini explains an error that it has retried in its own words.
    const isRetried = status === 429 || status === 503
    const wait = retryAfterSecs === undefined ? '' : ` Please retry in ${retryAfterSecs}s.`
    const text = isRetried ? `${failure.message}${wait}` : JSON.stringify(toUpstreamError(failure))
    const error = { ...event.error, message: `[API Error: ${text}]` }
    return { output: toLines([{ ...event, error }]), exitCode: status % 256 }
  }

  /** Gemini stops without a word, and exits with 0. */
  interrupt() {
    return { output: '', exitCode: 0, tool: 'left' } as const
  }
}
