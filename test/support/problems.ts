import { Fault } from '../../src/kit/fault.ts'
import type { Problem } from '../../src/kit/schema.ts'

/** The problems for which a checker refuses a value; none when it takes it. */
export function problemsOf(check: (value: unknown) => unknown, value: unknown): readonly Problem[] {
  try {
    check(value)
    return []
  } catch (error) {
    if (!(error instanceof Fault) || error.code !== 'message_invalid') throw error
    return (error.details as { problems: readonly Problem[] }).problems
  }
}
