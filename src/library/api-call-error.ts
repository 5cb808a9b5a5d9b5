import { DroverError } from './drover-error.ts'

const RETRYABLE = ['agent_rate_limited', 'agent_overloaded', 'queue_full']

const MARKS = ['vercel.ai.error', 'vercel.ai.error.AI_APICallError'].map((mark) => Symbol.for(mark))

/** A failure that the AI SDK knows as its `APICallError`, by the marks that it looks for, without its package. */
export class ApiCallError extends DroverError {
  override readonly name = 'AI_APICallError'
  readonly url = 'drover:'
  readonly requestBodyValues = {}
  /** What the model service answered, if the agent reports it. */
  readonly statusCode: number | undefined
  /** An agent costs money and may have worked: only what a model service refused for now is sent again. */
  readonly isRetryable: boolean
  readonly data: { code: string }

  constructor(error: DroverError) {
    const { code, message, details, result } = error
    super({ code, message, details, result, cause: error })
    this.statusCode = result?.upstream_status
    this.isRetryable = RETRYABLE.includes(code)
    this.data = { code }
    for (const mark of MARKS) Object.defineProperty(this, mark, { value: true })
  }
}
