/**
 * A turn that calls functions of the client has several parts, and each is a response. Picks the events of one part from all events
 * of the turn. Pure.
 */
import type { Usage } from '../../agents/adapter/agent.ts'
import { NO_USAGE, withoutPrior } from '../../agents/adapter/token-usage.ts'
import type { ToolRequest } from '../../agents/client-tools/tool-request.ts'
import type { PartResult } from '../../prompts/prompt-result.ts'

type AnyEvent = { readonly type: string; readonly content: unknown }

export class PartEvents {
  readonly #part: number
  #at = 0
  #before: Usage = NO_USAGE
  /** The calls that the part ends with. Undefined: it has not ended, or it is the last one. */
  calls: ToolRequest | undefined

  constructor(part: number) {
    this.#part = part
  }

  /** Those of the events that belong to the part. Call it with all events, in order. */
  pick<E extends AnyEvent>(events: readonly E[]): E[] {
    return events.filter((event) => {
      const isOwn = this.#at === this.#part
      if (event.type !== 'tool_request') return isOwn
      const request = event.content as ToolRequest
      if (isOwn) this.calls = request
      else if (this.#at < this.#part) this.#before = request.token_usage ?? this.#before
      this.#at += 1
      return false
    })
  }

  /** The result of the part, from that of the turn if it is the last one. */
  resultOf(result: PartResult): PartResult {
    const { calls, token_usage: usage = this.#before } = this.calls ?? {}
    if (calls === undefined) return { ...result, token_usage: withoutPrior(result.token_usage, this.#before) }
    return { ...result, output: '', token_usage: withoutPrior(usage, this.#before), tool_calls: calls }
  }
}
