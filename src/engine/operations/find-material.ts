import type { PinnedSourceSection } from '../../contract/pinned-source.shape.ts'
import {
  materialActionNotFound,
  materialActionStale,
  materialSectionInvalid,
  materialSectionNotFound,
  materialUnavailable,
} from '../faults.ts'
import { nextHint } from '../next-hint.ts'
import { findRecord, type Run } from '../state/run.ts'

const SECTION_KEY = /^[a-z0-9][a-z0-9._-]{0,63}$/

/** Checks the key alone, so it can run before the run is read. */
export function checkSectionKey(key: string): void {
  if (!SECTION_KEY.test(key)) throw materialSectionInvalid({ key })
}

/** Finds a section of the pinned source for a person, in any state of the run. */
export function findPinnedSection(run: Run, key: string): PinnedSourceSection {
  checkSectionKey(key)
  if (run.pinned_source === undefined) throw materialUnavailable({ key, problem: 'the run is not bound to an issue' })
  const { sections } = run.pinned_source
  const section = sections.find((each) => each.key === key)
  if (section === undefined) throw materialSectionNotFound({ key, known: sections.map((each) => each.key) })
  return section
}

/** Finds a section for an action, which may read it only while it is current. */
export function findActionSection(run: Run, actionId: string, key: string): PinnedSourceSection {
  checkSectionKey(key)
  if (findRecord(run, actionId) === undefined) throw materialActionNotFound({ action_id: actionId })
  // A withdrawn, skipped or finished action is not current, and a stopped or ended run has no current action.
  if (run.current_action?.action_id !== actionId)
    throw materialActionStale({ next: nextHint(run), action_id: actionId })
  return findPinnedSection(run, key)
}
