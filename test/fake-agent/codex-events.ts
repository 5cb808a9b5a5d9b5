import { DemoCodexOutput } from '../../src/demo/codex-output.ts'
import { type DemoUsage, toLines } from '../../src/demo/demo-answer.ts'
import type { AgentOutput, ApiFailure, Facts, Interruption, ToolOutcome } from './dialect.ts'
import { addUsage } from './usage.ts'

/** `codex exec --json`, with failures, retries and interruptions. */
export class CodexEvents extends DemoCodexOutput implements AgentOutput {
  readonly #priorUsage: DemoUsage

  constructor(facts: Facts) {
    super(facts)
    this.#priorUsage = facts.priorUsage
  }

  /** The sandbox lets the command run, but not write. */
  override toolResult(command: string, result: ToolOutcome): string {
    if (!result.isDenied) return super.toolResult(command, result)
    return super.toolResult(command, { output: '/bin/bash: line 1: x: Read-only file system', exitCode: 1 })
  }

  retry(attempt: number, failure?: ApiFailure): string {
    const reason = failure === undefined ? 'waiting for network' : describeFailure(failure)
    return toLines([{ type: 'error', message: `Reconnecting... ${attempt} (${reason})` }])
  }

  textLine(text: string): string {
    return this.textEnd(text)
  }

  /** Codex counts the tokens of the whole thread. */
  override finish(usage: DemoUsage): string {
    return super.finish(addUsage(this.#priorUsage, usage))
  }

  override fail(failure: ApiFailure) {
    const message = describeFailure(failure)
    const events = [
      { type: 'error', message: `Reconnecting... 1/1 (${message})` },
      { type: 'error', message },
      { type: 'turn.failed', error: { message } },
    ]
    return { output: toLines(events), exitCode: 1 }
  }

  interrupt(signal: Interruption) {
    return { output: '', exitCode: signal === 'SIGTERM' ? signal : 1, tool: 'ended' } as const
  }
}

const REASONS = {
  401: 'Unauthorized',
  402: 'Payment Required',
  403: 'Forbidden',
  404: 'Not Found',
  500: 'Internal Server Error',
  503: 'Service Unavailable',
  529: '<unknown status code>',
} as const

export function describeFailure({ status, message, retryAfterSecs }: ApiFailure): string {
  const wait = retryAfterSecs === undefined ? '' : ` Please try again in ${retryAfterSecs}s.`
  if (status === 400) return JSON.stringify({ error: { message, type: 'invalid_request_error', code: null } })
  if (status === 429) return `exceeded retry limit, last status: 429 Too Many Requests: ${message}${wait}`
  return `unexpected status ${status} ${REASONS[status]}: ${message}${wait}`
}
