/** Limits for everything but the prompt itself. A program that hangs or speaks something else is reported in one sentence. */
import { agentRequestFailed } from '../warm/faults.ts'
import type { OnWarning } from '../warm/frames.ts'

/** An agent may take long to start on a busy machine. Less than an agent may be silent, because this limit says more. */
export const ANSWER_WITHIN_MS = 100_000
/** Agents print a few lines of text before they speak the protocol; one that prints more never will. */
const MOST_OTHER_LINES = 200

type Limits = { backend: string; limitMs: number }

export class StartLimits {
  readonly #limits: Limits
  readonly #failed = Promise.withResolvers<never>()
  #otherLines = 0
  #firstProblem = ''
  #hasAnswered = false

  constructor(limits: Limits) {
    this.#limits = limits
    this.#failed.promise.catch(() => undefined)
  }

  /** Takes what is said about a line that was skipped. */
  readonly note: OnWarning = (text) => {
    if (this.#hasAnswered) return
    this.#otherLines += 1
    if (this.#firstProblem === '') this.#firstProblem = `; ${text}`
    if (this.#otherLines > MOST_OTHER_LINES) {
      this.#failed.reject(this.#fault('initialize', 'does not speak the Agent Client Protocol'))
    }
  }

  /** Rejects with a Fault if the answer takes too long. */
  async wait<T>(method: string, answer: Promise<T>): Promise<T> {
    const { limitMs } = this.#limits
    const late = Promise.withResolvers<never>()
    const advice = this.#hasAnswered ? '' : '; check that its command starts an agent that speaks ACP'
    const tooLong = () =>
      late.reject(this.#fault(method, `did not answer ${method} within ${limitMs / 1000} s${advice}`))
    const timer = setTimeout(tooLong, limitMs)
    try {
      const answered = await Promise.race([answer, this.#failed.promise, late.promise])
      this.#hasAnswered = true
      return answered
    } finally {
      clearTimeout(timer)
    }
  }

  #fault(method: string, problem: string) {
    const more = this.#hasAnswered ? '' : this.#firstProblem
    return agentRequestFailed({ method, code: 0, message: `${this.#limits.backend} ${problem}${more}` })
  }
}
