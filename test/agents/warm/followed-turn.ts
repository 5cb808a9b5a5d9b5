/**
 * One turn of a long-lived agent. Such an agent prints JSON-RPC, one frame per line, and may serve several sessions at
 * once. A reader follows one prompt in one session. It gets every frame from the first request of the turn on.
 */
import { type JsonObject, objectAt } from '../../../src/agents/adapter/json-fields.ts'

export type RequestId = number | string

export type FollowedTurn = {
  /** The agent's own session. Absent if one of the openings creates it; then the response contains the id. */
  sessionId?: string
  /** The model, if an earlier turn has reported it. */
  model?: string
  /** The requests before the prompt that open the session or set it up. */
  openings: readonly RequestId[]
  /** The request that carries the prompt. */
  prompt: RequestId
}

export type Answer = { to: 'opening' | 'prompt'; result?: JsonObject | undefined; error?: JsonObject | undefined }

/** The answers that a turn waits for. */
export class AwaitedAnswers {
  readonly #openings: Set<unknown>
  readonly #prompt: RequestId

  constructor({ openings, prompt }: FollowedTurn) {
    this.#openings = new Set(openings)
    this.#prompt = prompt
  }

  /** Whether everything before the prompt has been answered. */
  get isOpen(): boolean {
    return this.#openings.size === 0
  }

  take(frame: JsonObject): Answer | undefined {
    // Both sides number their own requests, so the same id in a request of the agent's is another one.
    if ('method' in frame) return undefined
    const to = this.#openings.delete(frame['id']) ? 'opening' : 'prompt'
    if (to === 'prompt' && frame['id'] !== this.#prompt) return undefined
    return { to, result: objectAt(frame, 'result'), error: objectAt(frame, 'error') }
  }
}
