/** What the checks say about a commit, as it is recorded. */
import { Type } from 'typebox'
import { literals, strict } from '../../kit/shape.ts'
import { TestResults } from './test-results.shape.ts'

const [text, count] = [Type.String(), Type.Integer({ minimum: 0 })]
const optional = Type.Optional

export const DELIVERY_CHECKS = ['passed', 'failed', 'skipped'] as const

/** How a command ended. */
export const ended = {
  exit_code: optional(Type.Integer()),
  /** Why there is no exit code. */
  problem: optional(text),
  duration_ms: count,
  /** The end of what it printed. */
  output: text,
}

/** The checks in a clean checkout of a commit. */
export const checkedCommit = {
  commit: text,
  result: literals(DELIVERY_CHECKS),
  /** Why they were skipped, or what a failure means. */
  reason: optional(text),
  /** The command of the setup that failed in the checkout. Then no check ran. */
  setup_failed: optional(strict({ command: text, ...ended })),
  /** With the tests as before the work. Older records have none. */
  checks: Type.Array(strict({ command: text, passed: Type.Boolean(), ...ended, tests: optional(TestResults) })),
  duration_ms: count,
}
