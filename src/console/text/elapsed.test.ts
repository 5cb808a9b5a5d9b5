import { expect, it } from 'vitest'
import { elapsedOf } from './elapsed.ts'

const START = '2026-01-31T09:00:00.000Z'
const END = '2026-01-31T09:00:03.700Z'
const NOW = Date.parse('2026-01-31T09:00:10.000Z')

it.each([
  ['not started', {}, undefined],
  ['running', { started_at: START }, 10_000],
  ['without a stored result', { started_at: START, ended_at: END }, 3700],
  ['with a result', { started_at: START, ended_at: END, result: { duration_ms: 3500 } }, 3500],
  ['started by a clock that was set back', { started_at: END, ended_at: START }, 0],
])('the time of an execution that is %s', (_what, execution, time) => expect(elapsedOf(execution, NOW)).toBe(time))
