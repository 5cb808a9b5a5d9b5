/** Notes that the engine adds itself. Each starts with a token, so that programs can tell it from a host's report. */
import type { SuggestedAction } from '../../contract/outcome.shape.ts'
import type { Run } from '../state/run.ts'
import { oneLine } from './text.ts'

export const OBSERVED_SINCE_START = 'observed_since_start: the worktree is not as it was when the run began'
export const REPORT_DISCREPANCY = 'report_discrepancy:'
export const ATTRIBUTION_UNCERTAINTY =
  'attribution_uncertainty: what made the difference is not known; it need not have been this run'
const CONTENT_INCOMPLETE =
  'git_content_observation_incomplete: not all changed files could be read, so that a change in them may go unnoticed'

type NoteList = 'observations' | 'known_issues' | 'uncertainties'

export function addNotes(run: Run, list: NoteList, notes: readonly string[]): Run {
  return { ...run, [list]: [...run[list], ...notes] }
}

/** Adds a note unless the list already has it. */
function addOnce(run: Run, list: NoteList, note: string): Run {
  return run[list].includes(note) ? run : addNotes(run, list, [note])
}

export function noteDifference(run: Run): Run {
  return addOnce(addOnce(run, 'observations', OBSERVED_SINCE_START), 'uncertainties', ATTRIBUTION_UNCERTAINTY)
}

export function noteIncompleteContent(run: Run): Run {
  return addOnce(run, 'uncertainties', CONTENT_INCOMPLETE)
}

/** `result` is what the host reported about its work on the files. */
export function noteDiscrepancy(run: Run, result: string, { isChanged }: { isChanged: boolean }): Run {
  const claimsChange = result === 'applied' || result === 'partial'
  if (claimsChange === isChanged) return run
  const state = isChanged ? 'is not as it was when the run began' : 'is as it was when the run began'
  return addOnce(run, 'observations', `${REPORT_DISCREPANCY} implement reported "${result}", but the worktree ${state}`)
}

export function observationFailure(when: string, problem: string): string {
  return `git_observation_failed: the worktree could not be observed ${when}: ${oneLine(problem)}`
}

/** Drops the pending suggestions and notes each of them as unresolved. */
export function dropSuggestions(run: Run, reason: string): Run {
  const noted = run.pending_actions.reduce(
    (noting, each) => addOnce(noting, 'uncertainties', unresolved(each, reason)),
    run,
  )
  return { ...noted, pending_actions: [] }
}

function unresolved({ kind, brief }: SuggestedAction, reason: string): string {
  return `unresolved_suggestion: ${kind} was suggested and not taken up, because ${reason}: ${brief}`
}
