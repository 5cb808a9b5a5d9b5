import type { AgentEvent } from '../../agents/adapter/agent.ts'
import { totalTokens } from '../output/usage-text.ts'

/** A rough estimate for natural language. */
const BYTES_PER_TOKEN = 4

/** The tokens of a running agent. Most agents report them only at the end, so new text is estimated and marked with `~`. */
export class TokenCounter {
  #reported = 0
  /** Text received since the last report. */
  #newBytes = 0

  note(event: AgentEvent): void {
    if (event.type === 'token_usage') {
      this.#reported = totalTokens(event.content)
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
