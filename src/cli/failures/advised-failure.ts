import type { CliError } from '../../contract/cli-error.shape.ts'
import type { Next } from '../../contract/next.shape.ts'

/** For each input the words that a person would type, which may be none. */
export type GivenInputs = Readonly<Record<string, readonly string[]>>

export type Advice = {
  /** The commands that may follow. */
  next?: Next
  /** What a person gave in place of inputs of these commands, by the names of the inputs, where the protocol has no word for it. */
  given?: GivenInputs
  /** The facts, in one of the forms that the message has for them. */
  details?: CliError['details']
  /** Where the kind of the fault says otherwise: what is found wrong before anything was attempted is wrong usage. */
  exitCode?: 2 | 3
}

/** A failure of the changes half on its way to the edge, with what only the command knew about it. */
export class AdvisedFailure extends Error {
  override readonly name = 'AdvisedFailure'
  /** A fault, or anything else, which is a bug. */
  readonly error: unknown
  readonly advice: Advice

  constructor(error: unknown, advice: Advice) {
    super('a command failed', { cause: error })
    this.error = error
    this.advice = advice
  }
}
