import { expect, it } from 'vitest'
import type { Execution } from '../../executions/store/execution.shape.ts'
import { dropColumns, formatTable } from '../output/text-table.ts'
import { executionRows } from './ps.ts'

const NOW = new Date('2026-01-31T12:00:00.000Z')

function execution(at: number, over: Partial<Execution> = {}): Execution {
  const id = `exec_${String(at).repeat(24)}`
  const created = '2026-01-31T11:58:00.000Z'
  return { id, state: 'running', kind: 'prompt', owner: 'o', created_at: created, last_seq: 1, ...over }
}

it('shows parts under their batch, oldest first, in 80 columns', () => {
  const parent = execution(1, { kind: 'compare' })
  const part = { kind: 'compare_backend', parent_id: parent.id, workdir: `/srv/${'long-name'.repeat(4)}` } as const
  const executions = [
    execution(4, {
      kind: 'chain_step',
      parent_id: 'exec_of_another_page',
      state: 'completed',
      ended_at: '2026-01-31T11:59:30.000Z',
    }),
    execution(3, { ...part, backend: 'codex', is_demo: true, prompt_start: 'explain\nthis' }),
    execution(2, { ...part, backend: 'claude', prompt_start: 'explain\nthis' }),
    parent,
  ]
  expect(formatTable(dropColumns(executionRows(executions, NOW), 80), 80)).toEqual([
    'ID          STATE      KIND     BACKEND       AGE       PROMPT',
    '44444444    completed  step     -             just now',
    '11111111    running    compare  -             2:00',
    '└ 22222222  running    backend  claude        2:00      explain this',
    '└ 33333333  running    backend  codex (demo)  2:00      explain this',
  ])
})

it('shows who started each, if a key has started one', () => {
  const rows = executionRows([execution(1, { api_key: 'ci' }), execution(2)], NOW)
  expect(rows.map((row) => row[5])).toEqual(['KEY', 'ci', '-'])
})
