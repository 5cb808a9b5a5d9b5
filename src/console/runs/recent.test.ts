import { expect, it } from 'vitest'
import type { DrivenRun } from '../../drive/service/driven-run.shape.ts'
import type { Execution } from '../../executions/store/execution.shape.ts'
import { groupByDay, listRecent } from './recent.ts'

const execution = (id: string, minute: number) => ({ id, created_at: `2026-01-31T09:0${minute}:00Z` }) as Execution
const run = (state: string, minute: number) =>
  ({ id: state, state, updated_at: `2026-01-31T09:0${minute}:00Z` }) as DrivenRun

it('prompts and runs that have ended are listed together, the latest first', () => {
  const runs = [run('ended', 3), run('stopped', 1), run('running', 5), run('waiting', 6)]
  const listed = listRecent([execution('one', 2), execution('two', 4)], runs)
  expect(listed.map((each) => ('run' in each ? each.run.id : each.execution.id))).toEqual([
    'two',
    'ended',
    'one',
    'stopped',
  ])
})

it('days have names, and what is older has a date', () => {
  const now = new Date(2026, 0, 31, 9).getTime()
  const at = (day: number) => ({ at: new Date(2026, 0, day, 8).toISOString() })
  const days = groupByDay([at(31), at(31), at(30), at(2)], now)
  expect(days.map(({ day, items }) => [day, items.length])).toEqual([
    ['Today', 2],
    ['Yesterday', 1],
    [new Date(2026, 0, 2).toLocaleDateString(), 1],
  ])
})
