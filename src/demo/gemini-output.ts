import { randomUUID } from 'node:crypto'
import {
  type DemoFailure,
  type DemoFunctionCall,
  type DemoToolResult,
  type DemoTurnFacts,
  type DemoUsage,
  type TurnOutput,
  toLines,
} from './demo-answer.ts'

const STATUSES: Readonly<Record<DemoFailure['status'], string>> = {
  401: 'UNAUTHENTICATED',
  429: 'RESOURCE_EXHAUSTED',
  500: 'INTERNAL',
  529: 'UNAVAILABLE',
}

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
    return this.#toolUse('run_shell_command', { command, description: 'Run a command' })
  }

  toolResult(_command: string, { output, exitCode }: DemoToolResult): string {
    return this.#toolEnd(output, exitCode !== 0)
  }

  functionCall({ server, name, input }: DemoFunctionCall): string {
    return this.#toolUse(`mcp_${server}_${name}`, input)
  }

  functionResult(_call: DemoFunctionCall, { text, isError }: { text: string; isError: boolean }): string {
    return this.#toolEnd(text, isError)
  }

  #toolUse(name: string, parameters: object): string {
    this.#toolCalls++
    this.#toolId = `${name}__${randomUUID()}`
    return this.#line('tool_use', { tool_name: name, tool_id: this.#toolId, parameters })
  }

  #toolEnd(output: string, isError: boolean): string {
    return this.#line('tool_result', { tool_id: this.#toolId, status: isError ? 'error' : 'success', output })
  }

  finish(usage: DemoUsage): string {
    return this.#line('result', { status: 'success', stats: this.#stats(usage, performance.now()) })
  }

  /** The exit code is what the operating system keeps of the status. */
  fail({ status, message, resetSecs }: DemoFailure) {
    const limit = `You have exhausted your daily quota: ${message}. Your quota will reset after ${resetSecs}s.`
    const text = resetSecs === undefined ? message : limit
    const upstream = JSON.stringify({ error: { code: status, message: text, status: STATUSES[status] } })
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
