/** A list of runs in words. Pure. */
import type { RunList } from '../../runs/list-runs.ts'
import { sayAge } from '../output/moments.ts'
import { formatNotedTable, type NotedRow, type Paper } from '../output/noted-table.ts'
import { sayBudget } from './run-text.ts'

const HEADINGS = ['ID', 'STATE', 'BUDGET', 'STARTED', 'GOAL']

/** One row a run; undefined without runs. */
export function sayRuns(list: RunList, now: Date, out: Paper): string | undefined {
  const rows = [...list.runs.map((run) => toRow(run, now)), ...list.unavailable_runs.map(toUnavailableRow)]
  return rows.length === 0 ? undefined : `${formatNotedTable(HEADINGS, rows, out).join('\n')}\n`
}

function toRow(run: RunList['runs'][number], now: Date): NotedRow {
  const { id, state, goal } = run
  const started = sayAge(run.created_at, now)
  return run.workspace_foreign === true
    ? { cells: [id, state, '-', started, goal], note: `foreign: it belongs to ${run.workspace}` }
    : { cells: [id, state, sayBudget(run), started, goal] }
}

function toUnavailableRow({ id, code, detail }: RunList['unavailable_runs'][number]): NotedRow {
  return { cells: [id, 'unavailable', '-', '-', '-'], note: `${code}: ${detail}` }
}
