import { titleOfGoal } from '../../contract/goal-title.ts'
import type { RunVerdict } from '../../contract/run-verdict.shape.ts'
import { readQueueWait } from '../../drive/read-queue-wait.ts'
import { readVerdict } from '../../drive/read-verdict.ts'
import { readDrive } from '../../drive/record/drive-journal.ts'
import { ignoreFault } from '../../kit/fault.ts'
import { outlineRun, type RunList, type RunOutline } from '../../runs/read-status.ts'
import type { RunContext } from '../../runs/run-context.ts'
import { asOwner } from '../../runs/run-worktree.ts'
import { formatAge } from '../output/format-amounts.ts'
import { toOneLine } from '../output/printable.ts'
import { formatTableWithNotes, type RowWithNote, type TextLayout } from '../output/text-table.ts'
import { formatActionsLeft } from './run-text.ts'

const LIST_HEADINGS = ['ID', 'STATE', 'ACTIONS LEFT', 'STARTED', 'GOAL']
const ACTIONS_LEFT = LIST_HEADINGS.indexOf('ACTIONS LEFT')

type ListWords = {
  nameOf?: ((id: string) => string) | undefined
  /** What is said below a run instead of where it belongs; empty if there is no such place any more. */
  noteOf?: ((run: RunList['runs'][number]) => string | undefined) | undefined
  /** More than the state of the run says. */
  stateOf?: ((run: { id: string; state: string }) => string | undefined) | undefined
  /** What a paused run waits for. */
  waitOf?: ((id: string) => string | undefined) | undefined
}

/** One row per run; undefined without runs. There is no column for actions if all runs have ended. */
export function formatRuns(list: RunList, now: Date, out: TextLayout & ListWords): string | undefined {
  const { nameOf = (id: string) => id, noteOf = () => undefined, waitOf = () => undefined } = out
  const own = list.runs.map((run) => {
    const { cells, note } = toRow(run, now, out.stateOf?.(run))
    const notes = [waitOf(run.id), noteOf(run) ?? note].filter((each) => each !== undefined && each !== '')
    return { cells, note: notes.length === 0 ? undefined : notes.join('; ') }
  })
  const all = [...own, ...list.unavailable_runs.map(toUnavailableRow)]
  const hasActionsLeft = all.some(({ cells }) => cells[ACTIONS_LEFT] !== '-')
  const toShown = (cells: readonly string[]) => cells.filter((_, at) => at !== ACTIONS_LEFT || hasActionsLeft)
  const rows = all.map(({ cells: [id = '', ...rest], note }) => ({ cells: toShown([nameOf(id), ...rest]), note }))
  return rows.length === 0 ? undefined : `${formatTableWithNotes(toShown(LIST_HEADINGS), rows, out).join('\n')}\n`
}

function toRow(run: RunList['runs'][number], now: Date, state: string = run.state): RowWithNote {
  const { id } = run
  const goal = titleOfGoal(run.goal)
  const started = formatAge(run.created_at, now)
  return run.workspace_foreign === true
    ? { cells: [id, state, '-', started, goal], note: `in another worktree: ${run.workspace}` }
    : { cells: [id, state, run.state === 'ended' ? '-' : formatActionsLeft(run), started, goal] }
}

function toUnavailableRow({ id, code, detail }: RunList['unavailable_runs'][number]): RowWithNote {
  return { cells: [id, 'unavailable', '-', '-', '-'], note: `${code}: ${detail}` }
}

/** By the id of the run; undefined for runs that are not driven. */
export type Verdicts = ReadonlyMap<string, RunVerdict | undefined>

/** The verdicts on the runs of a list. */
export async function readVerdicts(
  context: RunContext,
  { runs }: RunList,
  { records, nameOf = (id) => id }: { records: string; nameOf?: ((id: string) => string) | undefined },
): Promise<Verdicts> {
  const read = runs.map(async (run) => {
    const outline = run.workspace_foreign === true ? { id: run.id } : run
    return [run.id, await tryVerdict(context, outline, { records, name: nameOf(run.id) })] as const
  })
  return new Map(await Promise.all(read))
}

/** Unavailable runs stay in the list: their state is unknown and may be one of these. */
export function inStates<L extends RunList>(list: L, states: readonly string[], verdicts: Verdicts): L {
  if (states.length === 0) return list
  const isWanted = ({ id, state }: L['runs'][number]) =>
    toStates(state, verdicts.get(id)).some((each) => states.includes(each))
  return { ...list, runs: list.runs.filter(isWanted) }
}

/** A driven run that no process drives is not active. */
function toStates(state: string, verdict: RunVerdict | undefined): string[] {
  switch (verdict?.word) {
    case 'delivered':
    case 'delivered, look first':
      return ['ended', 'delivered']
    case 'merged':
    case 'discarded':
      return ['ended', verdict.word]
    case 'waits for you':
    case 'paused by limit':
    case 'not driven':
      return [state === 'stopped' ? 'stopped' : 'paused']
    default:
      return [state]
  }
}

/** In a list, a run that a person stopped does not look like one that asks. Its note says how to continue it. */
export function stateInList(state: string, verdict: RunVerdict | undefined): string | undefined {
  return state === 'stopped' && verdict?.word === 'waits for you' ? state : verdict?.word
}

const NOTE_COLUMNS = 120

/** What the word alone does not say. */
export function noteOnVerdict(verdict: RunVerdict | undefined): string | undefined {
  if (verdict === undefined) return undefined
  const { word, reason, next, line, look_first: lookFirst } = verdict
  switch (word) {
    case 'delivered':
    case 'nothing to change':
    case 'merged':
    case 'running':
      return undefined
    case 'continued':
      return line
    default:
      return `${toOneLine(lookFirst[0] ?? reason, NOTE_COLUMNS)}: ${next}`
  }
}

type VerdictOptions = {
  /** The directory of the records of driven runs, for what a queued run waits for. */
  records?: string
  name?: string
}

/**
 * The verdict on a run, for commands that show any run. Undefined if the run is not driven. `run` is read if it belongs to
 * another worktree.
 */
export async function findVerdict(
  context: RunContext,
  run: Pick<RunOutline, 'id'> & Partial<RunOutline>,
  { records, name }: VerdictOptions = {},
): Promise<RunVerdict | undefined> {
  const drive = readDrive(context.store, run.id)
  if (drive === undefined) return undefined
  const outline = run.actions === undefined ? await outlineRun(asOwner(context, run.id), run.id) : (run as RunOutline)
  const waitsFor = records === undefined ? undefined : await readQueueWait(context, drive, records)
  return await readVerdict(context, { run: outline, drive, name, waitsFor })
}

/** The same in a list, in which a run that cannot be read has none. */
export async function tryVerdict(...args: Parameters<typeof findVerdict>): Promise<RunVerdict | undefined> {
  return await findVerdict(...args).catch(ignoreFault)
}

export function withVerdict<R extends object>(run: R, verdict: RunVerdict | undefined): R {
  return verdict === undefined ? run : { ...run, verdict }
}
