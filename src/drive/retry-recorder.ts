/** Records that an agent retries, so that `drover drive` and `drover status` are not silent meanwhile. */
import { toTimestamp } from '../kit/clock.ts'
import type { PromptEvent } from '../prompts/prompt-event.ts'
import { RetryWatch } from './decide/retry-watch.ts'
import { type DriveContext, record } from './drive-context.ts'

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
