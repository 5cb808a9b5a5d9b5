/** Records that an agent retries, so that `drover drive` and `drover status` are not silent meanwhile. */
import { toTimestamp } from '../kit/clock.ts'
import type { PromptEvent } from '../prompts/prompt-event.ts'
import { type DriveContext, record } from './drive-context.ts'

/** Notices in a row are one row, which ends when the provider answers. */
export type RetryNotice =
  | { readonly is: 'retrying'; readonly count: number; readonly since: string; readonly message: string }
  | { readonly is: 'answered' }

/** More rows in one attempt are not recorded. */
export const MOST_ROWS = 20
const MESSAGE_CHARACTERS = 300
const ANSWERS: readonly PromptEvent['type'][] = ['message', 'thinking', 'tool_use', 'tool_result']

/** Notices that an agent sends its request to its provider again, and which of those notices are worth a record. Pure. */
export class RetryWatch {
  #rows = 0
  #count = 0
  #since = ''

  /** Of a row, the first, second, fourth, eighth notice and so on are returned, so that an agent that never gives up adds few. */
  note(event: PromptEvent, at: string): RetryNotice | undefined {
    if (event.type === 'progress' && event.content.stage === 'retry')
      return this.#retry(event.content.message ?? '', at)
    if (this.#count === 0 || !ANSWERS.includes(event.type)) return undefined
    this.#count = 0
    return this.#rows <= MOST_ROWS ? { is: 'answered' } : undefined
  }

  #retry(message: string, at: string): RetryNotice | undefined {
    this.#count += 1
    if (this.#count === 1) {
      this.#rows += 1
      this.#since = at
    }
    if (this.#rows > MOST_ROWS || !isPowerOfTwo(this.#count)) return undefined
    const shown = message.slice(0, MESSAGE_CHARACTERS).toWellFormed()
    return { is: 'retrying', count: this.#count, since: this.#since, message: shown }
  }
}

function isPowerOfTwo(count: number): boolean {
  return Number.isInteger(Math.log2(count))
}

export class RetryRecorder {
  readonly #context: DriveContext
  readonly #attempt: number
  readonly #watch = new RetryWatch()

  constructor(context: DriveContext, attempt: number) {
    this.#context = context
    this.#attempt = attempt
  }

  note(event: PromptEvent): void {
    const attempt = this.#attempt
    const notice = this.#watch.note(event, toTimestamp(this.#context.runs.clock.now()))
    if (notice?.is === 'answered') record(this.#context, 'agent_answered', { attempt })
    if (notice?.is !== 'retrying') return
    const { count, since, message } = notice
    record(this.#context, 'agent_retries', { attempt, count, since, message })
  }
}
