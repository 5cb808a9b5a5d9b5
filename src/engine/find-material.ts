import type { PinnedSourceSection } from '../contract/pinned-source.shape.ts'
import {
  materialActionNotFound,
  materialActionStale,
  materialSectionInvalid,
  materialSectionNotFound,
  materialUnavailable,
} from './faults.ts'
import { refuse } from './refusal.ts'
import { findRecord, type Run } from './run.ts'

const SECTION_KEY = /^[a-z0-9][a-z0-9._-]{0,63}$/

/** What can be said against a key before the run is looked at. */
export function checkSectionKey(key: string): void {
  if (!SECTION_KEY.test(key)) throw materialSectionInvalid({ key })
}

/** A section of the pinned source, for a person: in every state of the run. */
export function findPinnedSection(run: Run, key: string): PinnedSourceSection {
  checkSectionKey(key)
  if (run.pinned_source === undefined) throw materialUnavailable({ key, problem: 'the run serves no issue' })
  const { sections } = run.pinned_source
  const section = sections.find((each) => each.key === key)
  if (section === undefined) throw materialSectionNotFound({ key, known: sections.map((each) => each.key) })
  return section
}

/** The same for an action: it may read while it is current and has not reported that it is done. */
export function findActionSection(run: Run, actionId: string, key: string): PinnedSourceSection {
  checkSectionKey(key)
  if (findRecord(run, actionId) === undefined) throw materialActionNotFound({ action_id: actionId })
  // What was withdrawn, skipped or is done is not current any more; a run that is stopped or has ended has no action.
  if (run.current_action?.action_id !== actionId) throw materialActionStale({ ...refuse(run), action_id: actionId })
  return findPinnedSection(run, key)
}
