import type { AgentEvent } from '../../agents/adapter/agent.ts'
import { describeToolInput } from '../../agents/describe-for-people.ts'
import { countTokens } from '../../prompts/tokens.ts'

/** Describes what the agent is doing in a few words; undefined if the event adds nothing. */
export function describeAgentEvent(event: AgentEvent): string | undefined {
  switch (event.type) {
    case 'init':
      return 'waiting for the answer'
    case 'thinking':
      return 'thinking'
    case 'message':
      // Partial text changes too fast to be read.
      return event.content.is_partial === true ? 'answering' : event.content.text
    case 'tool_use':
      return `${event.content.tool_name} ${describeToolInput(event.content.input)}`
    case 'tool_result':
      return `${event.content.tool_name} ${event.content.is_error === true ? 'failed' : 'done'}`
    case 'approval_request':
      return event.content.questions === undefined
        ? `waiting for a decision about ${event.content.tool_name}`
        : 'waiting for an answer'
    case 'approval_decision':
      return `${event.content.tool_name} was ${event.content.decision === 'deny' ? 'denied' : 'allowed'}`
    case 'tool_request':
      return `waiting for ${event.content.calls.map((call) => call.tool_name).join(', ')} of the client`
    case 'progress':
      return formatProgress(event.content)
    default:
      return undefined
  }
}

function formatProgress({ stage, message }: { stage: string; message?: string }): string {
  return stage === 'turn_started' ? 'waiting for the answer' : (message ?? stage.replaceAll('_', ' '))
}

/** A rough estimate for natural language. */
const BYTES_PER_TOKEN = 4

/** The tokens of a running agent. Most agents report them only at the end, so new text is estimated and marked with `~`. */
export class TokenCounter {
  readonly #backend: string
  #reported = 0
  /** Text received since the last report. */
  #newBytes = 0

  constructor(backend: string) {
    this.#backend = backend
  }

  note(event: AgentEvent): void {
    if (event.type === 'token_usage') {
      this.#reported = countTokens(event.content, this.#backend)
      this.#newBytes = 0
    }
    if (event.type === 'message' || event.type === 'thinking') this.#newBytes += Buffer.byteLength(event.content.text)
  }

  /** `~340 tok`; empty if none are known. */
  format(): string {
    const tokens = this.#reported + Math.ceil(this.#newBytes / BYTES_PER_TOKEN)
    return tokens === 0 ? '' : `${this.#newBytes === 0 ? '' : '~'}${tokens} tok`
  }
}
