import { Fault } from '../kit/fault.ts'
import { isRetryable } from '../kit/retryable.ts'
import { toClientDetails } from '../service/public-error.ts'
import type { ErrorCode } from './error-codes.generated.ts'
import type { PromptResult } from './messages.generated.ts'

/**
 * Every error of the library. `message` says what is wrong and what to do. `code` is for programs: docs/errors.md lists
 * all of them.
 */
export class DroverError extends Error {
  override readonly name: string = 'DroverError'
  /** Stays the same when the message changes: `backend_not_found`, `agent_timeout`, `agent_cancelled` … */
  readonly code: ErrorCode | (string & {})
  /**
   * Whether the same call may succeed if it is repeated unchanged. `retry_after_secs`, in `details` or in `result`, says how
   * long to wait. False for an agent that may have changed files before it failed.
   */
  readonly retryable: boolean
  /** Facts about the error, which depend on its code, named as in the errors of the HTTP API. */
  readonly details: unknown
  /** The result of a prompt that has failed: its output so far, its session, the tokens that it used. */
  readonly result: PromptResult | undefined

  constructor(facts: {
    code: string
    message: string
    details?: unknown
    result?: PromptResult | undefined
    cause?: unknown
  }) {
    super(facts.message, facts.cause === undefined ? undefined : { cause: facts.cause })
    this.code = facts.code
    this.retryable = isRetryable(facts.code)
    this.details = facts.details
    this.result = facts.result
  }
}

/** Errors other than faults are bugs and stay as they are. */
export function toDroverError(error: unknown): unknown {
  if (!(error instanceof Fault)) return error
  const { code, message, details } = error
  return new DroverError({ code, message, details: toClientDetails(details), cause: error.cause })
}

export async function throwingDroverErrors<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    throw toDroverError(error)
  }
}
