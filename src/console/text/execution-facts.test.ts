import { expect, it } from 'vitest'
import type { Execution } from '../../executions/store/execution.shape.ts'
import { elapsedOf, nameExecution, pageOf, partsOf, titleExecution } from './execution-facts.ts'

const execution = (id: string, more: Partial<Execution>): Execution => ({
  ...{ id, state: 'completed', kind: 'prompt', owner: 'o', created_at: '2026-01-31T09:00:00Z', last_seq: 0 },
  ...more,
})

it.each([
  [{ kind: 'prompt', prompt_start: 'hi\nthere' }, 'hi there'],
  [{ kind: 'parallel' }, 'first · second'],
  [{ kind: 'chain' }, 'first · second'],
] as const)('%j is titled %j', (more, title) => {
  const parts = [execution('b', { prompt_start: 'second', created_at: '2026-01-31T09:00:01Z' })]
  const executions = [...parts, execution('a', { prompt_start: 'first' })].map((each) => ({ ...each, parent_id: 'x' }))
  expect(titleExecution(execution('x', more), partsOf('x', [...executions, execution('c', {})]))).toBe(title)
})

it.each([
  ['parallel', 'several tasks'],
  ['chain', 'several steps'],
  ['prompt', 'exec_1'],
] as const)('without a prompt and parts, the title of %s is %j', (kind, title) => {
  expect(titleExecution(execution('exec_1', { kind }), [])).toBe(title)
})

it.each([
  [{ kind: 'prompt', backend: 'codex' }, 'codex'],
  [{ kind: 'dry_run', backend: 'codex' }, 'codex'],
  [{ kind: 'dry_run' }, 'compare'],
  [{ kind: 'parallel' }, 'parallel'],
] as const)('%j has the name %j', (more, name) => expect(nameExecution(execution('x', more))).toBe(name))

it('only a comparison has the page of comparisons', () => {
  const kinds = ['compare', 'parallel', 'chain', 'dry_run', 'prompt'] as const
  expect(kinds.map(pageOf)).toEqual(['compare', 'executions', 'executions', 'executions', 'executions'])
})

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
