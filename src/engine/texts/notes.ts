/**
 * Notes that the engine adds itself. Each starts with a token, so that programs can tell it from a host's report. The
 * wording behind the token may differ from version to version, and a journal keeps the old one: notes are compared by
 * token, never by wording.
 */
import type { SuggestedAction } from '../../contract/outcome.shape.ts'
import type { ActionTrace, Run } from '../state/run.ts'
import { oneLine } from './text.ts'

export const OBSERVED_SINCE_START = 'observed_since_start: the worktree differs from its state at the start of the run'
const REPORT_DISCREPANCY = 'report_discrepancy:'
export const ATTRIBUTION_UNCERTAINTY =
  'attribution_uncertainty: the cause of the difference is unknown; it need not be this run'
const CONTENT_INCOMPLETE =
  'git_content_observation_incomplete: not all changed files could be read, so a change in them may go unnoticed'

type NoteList = 'observations' | 'known_issues' | 'uncertainties'

export function addNotes(run: Run, list: NoteList, notes: readonly string[]): Run {
  return { ...run, [list]: [...run[list], ...notes] }
}

/** Two notes in a list are the same if they start and end the same. Without `start`, the token is compared. */
type OwnNote = { readonly list: NoteList; readonly text: string; readonly start?: string; readonly end?: string }

/** Adds a note unless the list already has it, maybe in the words of an earlier version. Reports of hosts do not count. */
function addOnce(run: Run, { list, text, start = tokenOf(text), end = '' }: OwnNote): Run {
  const isSame = (other: string) => other.startsWith(start) && other.endsWith(end)
  return ownNotes(run, list).some(isSame) ? run : addNotes(run, list, [text])
}

/** The notes of the engine about the difference between the worktree and the reports of hosts. */
export function notesOnDifference(run: Run): string[] {
  const tokens = [tokenOf(OBSERVED_SINCE_START), REPORT_DISCREPANCY]
  return ownNotes(run, 'observations').filter((text) => tokens.includes(tokenOf(text)))
}

function tokenOf(note: string): string {
  return note.slice(0, note.indexOf(':') + 1)
}

type Noted = Pick<Run, 'actions'> & { readonly [L in NoteList]?: readonly string[] | undefined }

/**
 * The notes in a list that no report of a host brought in, also if a host repeats their words. Each list has the reports in
 * their order. The newest are compared first, because the oldest may be in the journal only.
 */
export function ownNotes(run: Noted, list: NoteList): string[] {
  const reported = run.actions.flatMap((action) => reportedNotes(action, list))
  const own = (run[list] ?? []).toReversed().filter((text) => {
    if (text !== reported.at(-1)) return true
    reported.pop()
    return false
  })
  return own.reverse()
}

function reportedNotes({ outcome }: ActionTrace, list: NoteList): readonly string[] {
  if (outcome === undefined) return []
  return list === 'uncertainties' ? ((outcome.implementation ?? outcome.review)?.uncertainties ?? []) : outcome[list]
}

export function noteDifference(run: Run): Run {
  const noted = addOnce(run, { list: 'observations', text: OBSERVED_SINCE_START })
  return addOnce(noted, { list: 'uncertainties', text: ATTRIBUTION_UNCERTAINTY })
}

export function noteIncompleteContent(run: Run): Run {
  return addOnce(run, { list: 'uncertainties', text: CONTENT_INCOMPLETE })
}

/** `result` is what the host reported about its work on the files. */
export function noteDiscrepancy(run: Run, result: string, { isChanged }: { isChanged: boolean }): Run {
  const claimsChange = result === 'applied' || result === 'partial'
  if (claimsChange === isChanged) return run
  const start = `${REPORT_DISCREPANCY} implement reported "${result}",`
  const state = isChanged ? 'differs from' : 'equals'
  const text = `${start} but the worktree ${state} its state at the start of the run`
  return addOnce(run, { list: 'observations', text, start })
}

export function observationFailure(when: string, problem: string): string {
  return `git_observation_failed: the worktree could not be observed ${when}: ${oneLine(problem)}`
}

/** Drops the pending suggestions and notes each of them as unresolved. */
export function dropSuggestions(run: Run, reason: string): Run {
  const noted = run.pending_actions.reduce((noting, each) => noteUnresolved(noting, each, reason), run)
  return { ...noted, pending_actions: [] }
}

function noteUnresolved(run: Run, { kind, brief }: SuggestedAction, reason: string): Run {
  const start = `unresolved_suggestion: ${kind} was suggested`
  const end = `, because ${reason}: ${brief}`
  return addOnce(run, { list: 'uncertainties', text: `${start} but not issued${end}`, start, end })
}
