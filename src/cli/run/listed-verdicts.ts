/** The verdicts on the runs of a list. */
import type { RunVerdict } from '../../contract/run-verdict.shape.ts'
import type { RunList } from '../../runs/read-status.ts'
import type { RunContext } from '../../runs/run-context.ts'
import { toOneLine } from '../output/printable.ts'
import { tryVerdict } from './driven-verdict.ts'

/** By the id of the run; undefined for runs that are not driven. */
type Verdicts = ReadonlyMap<string, RunVerdict | undefined>

export async function readVerdicts(
  context: RunContext,
  { runs }: RunList,
  nameOf: (id: string) => string = (id) => id,
): Promise<Verdicts> {
  const read = runs.map(async (run) => {
    const outline = run.workspace_foreign === true ? { id: run.id } : run
    return [run.id, await tryVerdict(context, outline, nameOf(run.id))] as const
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
    case 'waits for you':
    case 'paused by limit':
    case 'not driven':
      return [state === 'stopped' ? 'stopped' : 'paused']
    default:
      return [state]
  }
}

const NOTE_COLUMNS = 120

/** What the word alone does not say. */
export function noteOnVerdict(verdict: RunVerdict | undefined): string | undefined {
  if (verdict === undefined) return undefined
  const { word, reason, next, line, look_first: lookFirst } = verdict
  switch (word) {
    case 'delivered':
    case 'nothing to change':
    case 'running':
      return undefined
    case 'continued':
      return line
    default:
      return `${toOneLine(lookFirst[0] ?? reason, NOTE_COLUMNS)}: ${next}`
  }
}
