/** The tests that a check ran, as records keep them. */
import { Type } from 'typebox'
import { literals, type Message, meaning, named, strict } from '../../kit/shape.ts'
import { TEST_CHANGES } from './test-changes.ts'

const names = Type.Array(Type.String())

export const TestResults = named(
  'driveTestResults',
  strict({
    runner: meaning(
      'Whose format it is.',
      literals(['junit', 'vitest', 'jest', 'pytest', 'go', 'cargo', 'tap', 'node']),
    ),
    listed: meaning(
      '`all`: every test is named. `failures`: every test that failed is. `some`: others may have failed.',
      literals(['all', 'failures', 'some']),
    ),
    failed: meaning('Each test that failed.', names),
    skipped: meaning('Each test that was skipped, is to do, or was expected to fail.', names),
    passed: meaning('Each test that passed.', names),
  }),
)
export type TestResults = Message<typeof TestResults>

const CHANGE =
  '`broken`: passed before. `newly_failing`: failed neither before, nor is known to have passed. `removed`, `skipped`: ran before; ' +
  'with `failing_`, it failed then. `no_longer_failing`: fixed, skipped or removed. `added`: new, and does not fail.'

export const TestChange = named(
  'driveTestChange',
  Type.Object({
    change: literals(TEST_CHANGES, { description: CHANGE }),
    count: Type.Integer({ minimum: 1, description: 'How many tests.' }),
    names: Type.Array(Type.String(), { description: 'The first ten of them.' }),
    is_setback: Type.Boolean({ description: 'Whether a test fails or does not run, and did not before.' }),
    text: Type.String({ description: 'The same in words, such as `broke: parses dates`.' }),
  }),
  'How the tests of a check differ from those before the work.',
)
export type TestChange = Message<typeof TestChange>

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
