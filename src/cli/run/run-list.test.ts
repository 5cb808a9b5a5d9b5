import { describe, expect, it } from 'vitest'
import type { RunVerdict } from '../../contract/run-verdict.shape.ts'
import type { RunList } from '../../runs/read-status.ts'
import { countColumns } from '../output/printable.ts'
import { formatRuns, stateInList } from './run-list.ts'

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
  const layout = { style: (_style: unknown, text: string) => text, isTty: true, columns }
  return formatRuns(LIST, NOW, layout)?.trimEnd().split('\n') ?? []
}

describe('formatRuns', () => {
  it('prints a table, with notes below the rows', () => {
    expect(linesAt(100)).toEqual([
      'ID                                    STATE        ACTIONS LEFT  STARTED  GOAL',
      `${ID}  active       7 of 8        1h ago   Show the wind in knots, a…`,
      `${ID}  stopped      -             1h ago   Show the wind in knots, a…`,
      '  in another worktree: /srv/weather/worktrees/the-one-that-has-the-run',
      'damaged                               unavailable  -             -        -',
      '  run_unavailable: its journal has no beginning, so nothing is known',
    ])
  })

  it.each([60, 80])('fits %i columns and still marks runs of other worktrees', (columns) => {
    const lines = linesAt(columns)
    expect(Math.max(...lines.map(countColumns))).toBeLessThanOrEqual(columns)
    expect(lines.join('\n')).toMatch(/stopped .*\n {2}in another worktree:/)
    expect(lines.join('').replaceAll(' ', '')).toContain('the-one-that-has-the-run')
  })

  it('has no column for actions if all runs have ended, and says what became of them', () => {
    const layout = { style: (_style: unknown, text: string) => text, isTty: true, columns: 80, nameOf: () => 'fe6f' }
    const runs = [{ ...COMMON, state: 'ended', goal: 'Knots', remaining_budget: 3, initial_budget: 8 }]
    const list = { runs, unavailable_runs: [] } as unknown as RunList
    expect(formatRuns(list, NOW, { ...layout, stateOf: () => 'delivered', noteOf: () => 'branch drover/knots' })).toBe(
      'ID    STATE      STARTED  GOAL\nfe6f  delivered  1h ago   Knots\n  branch drover/knots\n',
    )
    expect(formatRuns(list, NOW, { ...layout, isTty: false })).toContain('fe6f  ended  1h ago')
  })

  it('calls a run that a person stopped by its state, and others by their verdict', () => {
    const asks = { word: 'waits for you' } as RunVerdict
    expect([stateInList('stopped', asks), stateInList('paused', asks)]).toEqual(['stopped', 'waits for you'])
    expect([stateInList('stopped', { ...asks, word: 'merged' }), stateInList('paused', undefined)]).toEqual([
      'merged',
      undefined,
    ])
  })

  it('returns undefined without runs', () => {
    const layout = { style: (_style: unknown, text: string) => text, isTty: true, columns: 80 }
    expect(formatRuns({ runs: [], unavailable_runs: [] }, NOW, layout)).toBeUndefined()
  })
})
