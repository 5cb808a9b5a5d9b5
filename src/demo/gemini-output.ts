import { randomUUID } from 'node:crypto'
import {
  type DemoFailure,
  type DemoToolResult,
  type DemoTurnFacts,
  type DemoUsage,
  type TurnOutput,
  toLines,
} from './demo-answer.ts'

const NO_USAGE: DemoUsage = { input: 0, cached: 0, output: 0, reasoning: 0 }

/** `gemini -o stream-json`: every word is an event, and thinking is left out. */
export class DemoGeminiOutput implements TurnOutput {
  readonly #facts: Pick<DemoTurnFacts, 'sessionId' | 'model'>
  #toolId = ''
  #toolCalls = 0

  constructor(facts: Pick<DemoTurnFacts, 'sessionId' | 'model'>) {
    this.#facts = facts
  }

  begin(prompt: string): string {
    const { sessionId, model } = this.#facts
    const start = this.#line('init', { session_id: sessionId, model })
    return `${start}${this.#line('message', { role: 'user', content: prompt })}`
  }

  word(text: string): string {
    return this.#line('message', { role: 'assistant', content: text, delta: true })
  }

  toolCall(command: string): string {
    this.#toolCalls++
    this.#toolId = `run_shell_command__${randomUUID()}`
    const parameters = { command, description: 'Run a command' }
    return this.#line('tool_use', { tool_name: 'run_shell_command', tool_id: this.#toolId, parameters })
  }

  toolResult(_command: string, { output }: DemoToolResult): string {
    return this.#line('tool_result', { tool_id: this.#toolId, status: 'success', output })
  }

  finish(usage: DemoUsage): string {
    return this.#line('result', { status: 'success', stats: this.#stats(usage, performance.now()) })
  }

  /** The exit code is what the operating system keeps of the status. */
  fail({ status, message }: DemoFailure) {
    const upstream = JSON.stringify({ error: { code: status, message, status: 'INTERNAL' } })
    const error = { type: 'unknown', message: `[API Error: ${upstream}]` }
    const output = this.#line('result', { status: 'error', error, stats: this.#stats(NO_USAGE, 0) })
    return { output, exitCode: status % 256 }
  }

  #line(type: string, fields: object): string {
    return toLines([{ type, timestamp: new Date().toISOString(), ...fields }])
  }

  #stats({ input, cached, output, reasoning }: DemoUsage, elapsedMs: number): object {
    const counts = {
      total_tokens: input + output + reasoning,
      input_tokens: input,
      output_tokens: output,
      cached,
      input: Math.max(0, input - cached),
    }
    const rest = { duration_ms: Math.round(elapsedMs), tool_calls: this.#toolCalls }
    return { ...counts, ...rest, models: { [this.#facts.model]: counts } }
  }
}
