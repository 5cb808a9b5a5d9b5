import type { Failure, ToolCall, ToolResult } from './answer.ts'
import { sayCommand, sayFailure } from './codex-events.ts'
import type { Facts, Interruption, Voice } from './dialect.ts'
import { NOTHING, onStderr, onStdout, type Said } from './said.ts'
import { addUsage, type Usage } from './usage.ts'

/** How codex tells a turn to people (`exec`): its progress on stderr, and only the last message on stdout. */
export class CodexText implements Voice {
  readonly #facts: Facts
  #lastText = ''

  constructor(facts: Facts) {
    this.#facts = facts
  }

  begin(prompt: string): Said {
    const { cwd, model, invocation, sessionId } = this.#facts
    return onStderr(
      [
        'drover demo agent, standing in for codex',
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
      ].join('\n'),
    )
  }

  thought(text: string): Said {
    return onStderr(`${text}\n`)
  }

  textEnd(text: string): Said {
    this.#lastText = text
    return onStderr(`codex\n${text}\n`)
  }

  toolCall(call: ToolCall): Said {
    return onStderr(`exec\n${sayCommand(call)} in ${this.#facts.cwd}\n`)
  }

  toolResult(_call: ToolCall, { output, exitCode }: ToolResult): Said {
    const verdict = exitCode === 0 ? 'succeeded' : `exited ${exitCode}`
    return onStderr(` ${verdict} in 0ms:\n${output}\n\n`)
  }

  retry(attempt: number): Said {
    return onStderr(`ERROR: Reconnecting... ${attempt}\n`)
  }

  textLine(text: string): string {
    return `${text}\n`
  }

  finish(usage: Usage): Said {
    const total = addUsage(this.#facts.priorUsage, usage)
    const tokens = total.input - total.cached + total.output
    return [...onStderr(`tokens used\n${tokens}\n`), ...onStdout(`${this.#lastText}\n`)]
  }

  fail(failure: Failure) {
    const line = `ERROR: ${sayFailure(failure)}\n`
    return { said: onStderr(`ERROR: Reconnecting... 1/1\n${line}${line}`), exit: 1 }
  }

  interrupt(signal: Interruption) {
    if (signal === 'SIGTERM') return { said: NOTHING, exit: signal, tool: 'ended' } as const
    return { said: onStderr('turn interrupted\n'), exit: 1, tool: 'ended' } as const
  }
}
