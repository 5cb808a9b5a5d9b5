/** Notes that the engine adds itself. Each starts with a token, so that programs can tell it from a host's report. */
import type { SuggestedAction } from '../../contract/outcome.shape.ts'
import type { Run } from '../state/run.ts'
import { oneLine } from './text.ts'

export const OBSERVED_SINCE_START = 'observed_since_start: the worktree differs from its state at the start of the run'
export const REPORT_DISCREPANCY = 'report_discrepancy:'
export const ATTRIBUTION_UNCERTAINTY =
  'attribution_uncertainty: the cause of the difference is unknown; it need not be this run'
const CONTENT_INCOMPLETE =
  'git_content_observation_incomplete: not all changed files could be read, so a change in them may go unnoticed'

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
  const state = isChanged ? 'differs from' : 'equals'
  return addOnce(
    run,
    'observations',
    `${REPORT_DISCREPANCY} implement reported "${result}", but the worktree ${state} its state at the start of the run`,
  )
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
  return `unresolved_suggestion: ${kind} was suggested but not issued, because ${reason}: ${brief}`
}
