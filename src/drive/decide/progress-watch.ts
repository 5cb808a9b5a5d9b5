/** Notices an agent that makes no progress. It knows no clock: the caller passes the time. Pure. */

import type { PromptEvent } from '../../prompts/prompt-event.ts'
import { callKey } from '../evidence/trace.ts'

/** The same call with the same result, so often in a row, is not progress. */
const MAX_REPEATS = 4

export class ProgressWatch {
  readonly #stallMs: number
  #lastProgress: number
  #calls = new Map<string, string>()
  #lastCall = ''
  #repeats = 0

  constructor({ stallMs, now }: { stallMs: number; now: number }) {
    this.#stallMs = stallMs
    this.#lastProgress = now
  }

  /** Notes an event. Returns a reason if the agent repeats itself. */
  note(event: PromptEvent, now: number): string | undefined {
    switch (event.type) {
      case 'message':
      case 'thinking':
        this.#lastProgress = now
        return undefined
      case 'tool_use':
        this.#calls.set(callKey(event.content), JSON.stringify([event.content.tool_name, event.content.input]))
        return undefined
      case 'tool_result':
        this.#lastProgress = now
        return this.#noteResult(event.content)
      default:
        return undefined
    }
  }

  /** The files changed. */
  noteChange(now: number): void {
    this.#lastProgress = now
  }

  /** How long until the agent counts as stalled; 0 or less if it does. */
  leftMs(now: number): number {
    return this.#lastProgress + this.#stallMs - now
  }

  #noteResult(content: Extract<PromptEvent, { type: 'tool_result' }>['content']): string | undefined {
    const key = callKey(content)
    const call = this.#calls.get(key)
    this.#calls.delete(key)
    if (call === undefined) return undefined
    const signature = JSON.stringify([call, content.output, content.error_message])
    this.#repeats = signature === this.#lastCall ? this.#repeats + 1 : 1
    this.#lastCall = signature
    if (this.#repeats < MAX_REPEATS) return undefined
    return `it made the same call of ${content.tool_name} ${MAX_REPEATS} times in a row and got the same result`
  }
}

export function stallReason(stallMs: number): string {
  return `for ${Math.round(stallMs / 1000)} s there was no text, no result of a tool and no change of a file`
}
