import { type DemoUsage, toLines } from '../../src/demo/demo-answer.ts'
import { toToolInput } from './claude-events.ts'
import { type Progress, toFailure, toInterrupted, toSuccess } from './claude-result.ts'
import type { AgentOutput, ApiFailure, Facts, Interruption, ToolOutcome } from './dialect.ts'

/** `claude -p` in the formats `text` and `json`, which print the answer when it is complete. */
export class ClaudeSummary implements AgentOutput {
  readonly #facts: Facts
  readonly #isJson: boolean
  readonly #progress: Progress = { text: '', requests: 0, denials: [] }

  constructor(facts: Facts) {
    this.#facts = facts
    this.#isJson = facts.invocation.format === 'json'
  }

  request(): string {
    this.#progress.requests++
    this.#progress.text = ''
    return ''
  }

  word(text: string): string {
    this.#progress.text += text
    return ''
  }

  toolResult(command: string, result: ToolOutcome): string {
    if (result.isDenied) {
      const toolId = `toolu_${this.#facts.newId()}`
      this.#progress.denials.push({ tool_name: 'Bash', tool_use_id: toolId, tool_input: toToolInput(command) })
    }
    return ''
  }

  textLine(text: string): string {
    return `${text}\n`
  }

  finish(usage: DemoUsage): string {
    return this.#format(this.#progress.text, toSuccess(this.#facts, this.#progress, usage))
  }

  fail(failure: ApiFailure) {
    const text = describeFailure(failure)
    return { output: this.#format(text, toFailure(this.#facts, { status: failure.status, text })), exitCode: 1 }
  }

  interrupt(signal: Interruption, { isToolRunning }: { isToolRunning: boolean }) {
    if (signal === 'SIGTERM') return { output: '', exitCode: 143, tool: 'left' } as const
    // Claude prints this text without a line end.
    const output = this.#isJson ? toLines([toInterrupted(this.#facts, this.#progress)]) : 'Execution error'
    return { output, exitCode: isToolRunning ? 1 : 0, tool: 'ended' } as const
  }

  #format(text: string, result: object): string {
    return this.#isJson ? toLines([result]) : `${text}\n`
  }
}

export function describeFailure({ status, message }: ApiFailure): string {
  if (status === 401 || status === 403) return `Failed to authenticate. API Error: ${status} ${message}`
  if (status === 429) return `API Error: Request rejected (429) · ${message}`
  return `API Error: ${status} ${message}`
}
