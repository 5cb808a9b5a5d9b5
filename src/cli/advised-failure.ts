import type { CliError } from '../contract/cli-error.shape.ts'
import type { Next } from '../contract/next.shape.ts'
import type { Fault } from '../kit/fault.ts'

export type Advice = {
  /** The commands that may follow. */
  next?: Next
  /** The facts, in one of the forms that the message has for them. */
  details?: CliError['details']
}

/** A fault of the changes half on its way to the edge, with what only the command knew about it. */
export class AdvisedFailure extends Error {
  override readonly name = 'AdvisedFailure'
  readonly fault: Fault
  readonly advice: Advice

  constructor(fault: Fault, advice: Advice) {
    super(fault.message, { cause: fault })
    this.fault = fault
    this.advice = advice
  }
}
