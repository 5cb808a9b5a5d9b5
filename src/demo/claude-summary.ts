import type { Failure, ToolCall, ToolResult } from './answer.ts'
import { toToolInput } from './claude-events.ts'
import { type Spoken, toFailure, toInterrupted, toSuccess } from './claude-result.ts'
import type { Facts, Interruption, Voice } from './dialect.ts'
import { asLines, NOTHING, onStdout, type Said } from './said.ts'
import type { Usage } from './usage.ts'

/** How claude tells a turn when it is over: `text` or `json`. */
export class ClaudeSummary implements Voice {
  readonly #facts: Facts
  readonly #isJson: boolean
  readonly #spoken: Spoken = { text: '', requests: 0, denials: [] }

  constructor(facts: Facts) {
    this.#facts = facts
    this.#isJson = facts.invocation.format === 'json'
  }

  request(): Said {
    this.#spoken.requests++
    this.#spoken.text = ''
    return NOTHING
  }

  word(text: string): Said {
    this.#spoken.text += text
    return NOTHING
  }

  toolResult(call: ToolCall, result: ToolResult): Said {
    if (result.isDenied) {
      const toolId = `toolu_${this.#facts.newId()}`
      this.#spoken.denials.push({ tool_name: 'Bash', tool_use_id: toolId, tool_input: toToolInput(call) })
    }
    return NOTHING
  }

  textLine(text: string): string {
    return `${text}\n`
  }

  finish(usage: Usage): Said {
    return this.#say(this.#spoken.text, toSuccess(this.#facts, this.#spoken, usage))
  }

  fail(failure: Failure) {
    const text = sayFailure(failure)
    return { said: this.#say(text, toFailure(this.#facts, { status: failure.status, text })), exit: 1 }
  }

  interrupt(signal: Interruption, { isToolRunning }: { isToolRunning: boolean }) {
    if (signal === 'SIGTERM') return { said: NOTHING, exit: 143, tool: 'left' } as const
    // The one text without a line end.
    const said = this.#isJson ? asLines([toInterrupted(this.#facts, this.#spoken)]) : onStdout('Execution error')
    return { said, exit: isToolRunning ? 1 : 0, tool: 'ended' } as const
  }

  #say(text: string, result: object): Said {
    return this.#isJson ? asLines([result]) : onStdout(`${text}\n`)
  }
}

export function sayFailure({ status, message }: Failure): string {
  if (status === 401) return `Failed to authenticate. API Error: 401 ${message}`
  if (status === 429) return `API Error: Request rejected (429) · ${message}`
  return `API Error: 500 ${message}`
}
