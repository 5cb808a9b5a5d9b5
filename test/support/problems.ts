import { Fault } from '../../src/kit/fault.ts'
import type { Problem } from '../../src/kit/schema.ts'

/** The problems that a checker reports for a value; empty if it is valid. */
export function problemsOf(check: (value: unknown) => unknown, value: unknown): readonly Problem[] {
  try {
    check(value)
    return []
  } catch (error) {
    if (!(error instanceof Fault) || error.code !== 'message_invalid') throw error
    return (error.details as { problems: readonly Problem[] }).problems
  }
}
