/** How the pinned source of a run may change. */
import type { PinnedSource } from '../../contract/pinned-source.shape.ts'
import { isSameValue } from '../state/diff-runs.ts'
import { RESUME_OPERATIONS, type Transition, type TransitionRule } from './transition.ts'

const CHOICES = { source_amended: 'adopt', source_pinned: 'pinned' } as const

export const SOURCE_RULES: readonly TransitionRule[] = [
  {
    says: 'exactly the resume events carry a resume result, and it names their operation',
    holds: ({ event, after }) => {
      const operation = RESUME_OPERATIONS[event.type]
      return operation === undefined
        ? event.data.last_resume_result === undefined
        : after.last_resume_result?.operation === operation
    },
  },
  {
    says: 'only a refresh or a choice replaces the pinned source, and only in an issue-bound run',
    holds: ({ before, event }) =>
      event.data.pinned_source === undefined ||
      (before.pinned_source !== undefined && (event.type === 'source_refreshed' || event.type in CHOICES)),
  },
  {
    says: 'an ad-hoc run is resumed without a source, an issue-bound run with one',
    holds: ({ before, event }) => {
      const isAboutSource = RESUME_OPERATIONS[event.type] !== undefined && event.type !== 'run_resumed'
      return before.pinned_source === undefined ? !isAboutSource : event.type !== 'run_resumed'
    },
  },
  { says: 'a source belongs to the pinned issue and keeps all its URLs', holds: isSameIssue },
  { says: 'only an adoption changes the requirements', holds: isSameContent },
  { says: 'a candidate has a new id, is the only one, and pauses the run for a decision', holds: isCandidateRight },
  { says: 'a choice is about the pending candidate, removes it and leads to an action', holds: isChoiceRight },
]

function isSameIssue({ before, event }: Transition): boolean {
  const pinned = before.pinned_source
  const replacement = event.data.pinned_source ?? event.data.source_candidate
  if (pinned === undefined || !replacement) return true
  const known = [replacement.canonical_url, ...replacement.url_aliases]
  return (
    replacement.issue_id === pinned.issue_id &&
    [pinned.canonical_url, ...pinned.url_aliases].every((url) => known.includes(url))
  )
}

/** A refresh may change the title and the URLs; keeping the pinned source may change the URLs only. */
function isSameContent({ before, event }: Transition): boolean {
  const [pinned, replacement] = [before.pinned_source, event.data.pinned_source]
  if (pinned === undefined || replacement === undefined) return true
  if (event.type === 'source_amended') {
    return isSameValue(replacement, before.source_candidate?.snapshot)
  }
  const isRefresh = event.type === 'source_refreshed'
  const isSame =
    isSameValue(sectionsOf(replacement), sectionsOf(pinned)) && (isRefresh || replacement.title === pinned.title)
  return isSame && replacement.requirements_revision === pinned.requirements_revision
}

function sectionsOf({ manifest_revision, parent_requirements_revision, sections }: PinnedSource): unknown[] {
  const content = sections.map(({ provenance, ...section }) => ({ ...section, node: provenance.comment_node_id }))
  return [manifest_revision, parent_requirements_revision, content]
}

function isCandidateRight({ before, event, after }: Transition): boolean {
  const candidate = event.data.source_candidate
  if (event.type !== 'source_candidate_created') return !candidate
  const id = after.source_candidate?.candidate_id
  return (
    before.source_candidate === undefined &&
    after.pause_reason === 'decision_required' &&
    after.last_resume_result?.candidate_id === id &&
    before.source_choices.every(({ candidate_id }) => candidate_id !== id)
  )
}

function isChoiceRight({ before, event, after }: Transition): boolean {
  const { source_choice: receipt, source_candidate } = event.data
  if (!(event.type in CHOICES)) return receipt === undefined && source_candidate !== null
  const id = before.source_candidate?.candidate_id
  return (
    id !== undefined &&
    after.source_candidate === undefined &&
    receipt?.candidate_id === id &&
    after.last_resume_result?.candidate_id === id &&
    receipt.choice === CHOICES[event.type as keyof typeof CHOICES] &&
    receipt.resulting_action_id === after.current_action?.action_id
  )
}
