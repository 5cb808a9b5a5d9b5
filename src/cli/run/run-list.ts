/** Runs as a table for people. Pure. */
import { titleOfGoal } from '../../contract/goal-title.ts'
import type { RunList } from '../../runs/read-status.ts'
import { formatAge } from '../output/format-time.ts'
import { formatTableWithNotes, type RowWithNote, type TextLayout } from '../output/text-table.ts'
import { formatBudget } from './run-view.ts'

const LIST_HEADINGS = ['ID', 'STATE', 'BUDGET', 'STARTED', 'GOAL']
const BUDGET = LIST_HEADINGS.indexOf('BUDGET')

type ListWords = {
  nameOf?: ((id: string) => string) | undefined
  /** What is said below a run instead of where it belongs. */
  noteOf?: ((id: string) => string | undefined) | undefined
  /** More than the state of the run says. */
  stateOf?: ((id: string) => string | undefined) | undefined
  /** What a paused run waits for. */
  waitOf?: ((id: string) => string | undefined) | undefined
}

/** One row per run; undefined without runs. A terminal has no column for budgets if no run has one. */
export function formatRuns(list: RunList, now: Date, out: TextLayout & ListWords): string | undefined {
  const { nameOf = (id: string) => id, noteOf = () => undefined, waitOf = () => undefined } = out
  const own = list.runs.map((run) => {
    const { cells, note } = toRow(run, now, out.stateOf?.(run.id))
    const notes = [waitOf(run.id), noteOf(run.id) ?? note].filter((each) => each !== undefined)
    return { cells, note: notes.length === 0 ? undefined : notes.join('; ') }
  })
  const all = [...own, ...list.unavailable_runs.map(toUnavailableRow)]
  const hasBudgets = !out.isTty || all.some(({ cells }) => cells[BUDGET] !== '-')
  const toShown = (cells: readonly string[]) => cells.filter((_, at) => at !== BUDGET || hasBudgets)
  const rows = all.map(({ cells: [id = '', ...rest], note }) => ({ cells: toShown([nameOf(id), ...rest]), note }))
  return rows.length === 0 ? undefined : `${formatTableWithNotes(toShown(LIST_HEADINGS), rows, out).join('\n')}\n`
}

function toRow(run: RunList['runs'][number], now: Date, state: string = run.state): RowWithNote {
  const { id } = run
  const goal = titleOfGoal(run.goal)
  const started = formatAge(run.created_at, now)
  return run.workspace_foreign === true
    ? { cells: [id, state, '-', started, goal], note: `in another worktree: ${run.workspace}` }
    : { cells: [id, state, run.state === 'ended' ? '-' : formatBudget(run), started, goal] }
}

function toUnavailableRow({ id, code, detail }: RunList['unavailable_runs'][number]): RowWithNote {
  return { cells: [id, 'unavailable', '-', '-', '-'], note: `${code}: ${detail}` }
}
