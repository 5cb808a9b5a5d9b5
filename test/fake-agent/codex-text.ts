import { toCommandLine } from '../../src/demo/codex-output.ts'
import type { DemoToolResult, DemoUsage } from '../../src/demo/demo-answer.ts'
import { describeFailure } from './codex-events.ts'
import type { AgentOutput, ApiFailure, Facts, Interruption } from './dialect.ts'
import type { Output } from './output.ts'
import { addUsage } from './usage.ts'

/** `codex exec`: progress for people on stderr, and only the last message on stdout. */
export class CodexText implements AgentOutput {
  readonly #facts: Facts
  #lastText = ''

  constructor(facts: Facts) {
    this.#facts = facts
  }

  begin(prompt: string): Output {
    const { cwd, model, invocation, sessionId } = this.#facts
    const lines = [
      'fake agent, standing in for codex',
      '--------',
      `workdir: ${cwd}`,
      `model: ${model}`,
      'provider: none',
      'approval: never',
      `sandbox: ${invocation.permission}`,
      `session id: ${sessionId}`,
      '--------',
      'user',
      prompt,
      '',
    ]
    return { stderr: lines.join('\n') }
  }

  thinking(text: string): Output {
    return { stderr: `${text}\n` }
  }

  textEnd(text: string): Output {
    this.#lastText = text
    return { stderr: `codex\n${text}\n` }
  }

  toolCall(command: string): Output {
    return { stderr: `exec\n${toCommandLine(command)} in ${this.#facts.cwd}\n` }
  }

  toolResult(_command: string, { output, exitCode }: DemoToolResult): Output {
    const verdict = exitCode === 0 ? 'succeeded' : `exited ${exitCode}`
    return { stderr: ` ${verdict} in 0ms:\n${output}\n\n` }
  }

  retry(attempt: number): Output {
    return { stderr: `ERROR: Reconnecting... ${attempt}\n` }
  }

  textLine(text: string): string {
    return `${text}\n`
  }

  finish(usage: DemoUsage): Output {
    const total = addUsage(this.#facts.priorUsage, usage)
    const tokens = total.input - total.cached + total.output
    return { stderr: `tokens used\n${tokens}\n`, stdout: `${this.#lastText}\n` }
  }

  fail(failure: ApiFailure) {
    const line = `ERROR: ${describeFailure(failure)}\n`
    return { output: { stderr: `ERROR: Reconnecting... 1/1\n${line}${line}` }, exitCode: 1 }
  }

  interrupt(signal: Interruption) {
    if (signal === 'SIGTERM') return { output: '', exitCode: signal, tool: 'ended' } as const
    return { output: { stderr: 'turn interrupted\n' }, exitCode: 1, tool: 'ended' } as const
  }
}
