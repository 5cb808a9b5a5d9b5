/** What a run waits for, as text. Pure. */
import type { RunOutline } from '../../runs/run-status.ts'
import { toPrintable } from '../output/printable.ts'
import { destructiveLines } from '../run/run-view.ts'
import type { Channel } from '../terminal.ts'

/** The whole question or request: nothing of it is cut. */
export function describeWait(run: RunOutline, out: Pick<Channel, 'style' | 'isTty' | 'columns'>): string[] {
  const { state, pause_reason, actions, source_candidate } = run
  if (state === 'stopped') return ['The run is stopped.']
  if (source_candidate !== undefined) {
    return ['The issue has changed, and the run waits for a choice between its pinned and its current text.']
  }
  const question = toPrintable(actions.at(-1)?.outcome?.pause?.question ?? '')
  switch (pause_reason) {
    case 'destructive_confirmation_required':
      return [question, ...destructiveLines(run, { out })]
    case 'environment_unavailable':
      return [`Something is missing: ${question}`]
    case 'budget_exhausted':
      return ['The run has used all of its actions.']
    default:
      return [question]
  }
}

/** The commands that let the run go on. */
export function commandsAfter(run: RunOutline): string[] {
  const { id, pause_reason, state, source_candidate } = run
  const goOn = `drover drive ${id}`
  if (source_candidate !== undefined) return [`drover continue ${id}`, goOn]
  if (state === 'stopped' || pause_reason === 'environment_unavailable') return [goOn]
  if (pause_reason === 'budget_exhausted') return [`${goOn} --actions 8`]
  return [`drover answer ${id}`, goOn]
}
