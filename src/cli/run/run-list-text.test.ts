import { describe, expect, it } from 'vitest'
import type { RunList } from '../../runs/list-runs.ts'
import { columnsOf } from '../output/printable.ts'
import { sayRuns } from './run-list-text.ts'

const NOW = new Date('2026-03-10T12:00:00.000Z')
const ID = 'fe6f4c41-c61a-4855-9c4d-5bd9ddd77817'
const GOAL = 'Show the wind in knots, and in words for those who have never been at sea'
const COMMON = { id: ID, goal: GOAL, state: 'active', created_at: '2026-03-10T11:00:00.000Z' }

const LIST = {
  runs: [
    { ...COMMON, remaining_budget: 7, initial_budget: 8 },
    {
      ...COMMON,
      state: 'stopped',
      workspace_foreign: true,
      workspace: '/srv/weather/worktrees/the-one-that-has-the-run',
    },
  ],
  unavailable_runs: [
    { id: 'damaged', code: 'run_unavailable', detail: 'its journal has no beginning, so nothing is known' },
  ],
} as unknown as RunList

function linesAt(columns: number): string[] {
  const paper = { style: (_style: unknown, text: string) => text, isTty: true, columns }
  return sayRuns(LIST, NOW, paper)?.trimEnd().split('\n') ?? []
}

describe('a list of runs, in words', () => {
  it('is a table, with what no column has room for below it', () => {
    expect(linesAt(100)).toEqual([
      'ID                                    STATE        BUDGET  STARTED  GOAL',
      `${ID}  active       7 of 8  1h ago   Show the wind in knots, and in …`,
      `${ID}  stopped      -       1h ago   Show the wind in knots, and in …`,
      '  foreign: it belongs to /srv/weather/worktrees/the-one-that-has-the-run',
      'damaged                               unavailable  -       -        -',
      '  run_unavailable: its journal has no beginning, so nothing is known',
    ])
  })

  it.each([60, 80])('fits %i columns, and still says what is foreign', (columns) => {
    const lines = linesAt(columns)
    expect(Math.max(...lines.map(columnsOf))).toBeLessThanOrEqual(columns)
    expect(lines.join('\n')).toMatch(/stopped .*\n {2}foreign: /)
    expect(lines.join('').replaceAll(' ', '')).toContain('the-one-that-has-the-run')
  })

  it('is nothing without runs', () => {
    const paper = { style: (_style: unknown, text: string) => text, isTty: true, columns: 80 }
    expect(sayRuns({ runs: [], unavailable_runs: [] }, NOW, paper)).toBeUndefined()
  })
})
