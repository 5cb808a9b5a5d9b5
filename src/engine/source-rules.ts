/** What a run is held to, and how that may change. */
import type { PinnedSource } from '../contract/pinned-source.shape.ts'
import { isSameValue } from './same-value.ts'
import { RESUME_OPERATIONS, type Transition, type TransitionRule } from './transition.ts'

const CHOICES = { source_amended: 'adopt', source_pinned: 'pinned' } as const

export const SOURCE_RULES: readonly TransitionRule[] = [
  {
    says: 'a resume says what it did, and nothing else says so',
    holds: ({ event, after }) => {
      const operation = RESUME_OPERATIONS[event.type]
      return operation === undefined
        ? event.data.last_resume_result === undefined
        : after.last_resume_result?.operation === operation
    },
  },
  {
    says: 'a source is pinned anew by a refresh or a choice, and only where one was pinned before',
    holds: ({ before, event }) =>
      event.data.pinned_source === undefined ||
      (before.pinned_source !== undefined && (event.type === 'source_refreshed' || event.type in CHOICES)),
  },
  {
    says: 'a run that serves no issue is resumed as such, and one that does is not',
    holds: ({ before, event }) => {
      const isAboutSource = RESUME_OPERATIONS[event.type] !== undefined && event.type !== 'run_resumed'
      return before.pinned_source === undefined ? !isAboutSource : event.type !== 'run_resumed'
    },
  },
  { says: 'a source stays that of its issue, wherever the issue moves', holds: isSameIssue },
  { says: 'requirements change by adoption alone', holds: isSameContent },
  { says: 'a candidate is of the issue, new, and waits for a choice', holds: isTrueCandidate },
  { says: 'a choice is made once, about the candidate that waits, and leads to an action', holds: isTrueChoice },
]

function isSameIssue({ before, event }: Transition): boolean {
  const pinned = before.pinned_source
  const given = event.data.pinned_source ?? event.data.source_candidate
  if (pinned === undefined || !given) return true
  const known = [given.canonical_url, ...given.url_aliases]
  return (
    given.issue_id === pinned.issue_id &&
    [pinned.canonical_url, ...pinned.url_aliases].every((url) => known.includes(url))
  )
}

/** Where an issue is may change with any refresh; its title only with one that is not a choice to keep what was. */
function isSameContent({ before, event }: Transition): boolean {
  const [pinned, given] = [before.pinned_source, event.data.pinned_source]
  if (pinned === undefined || given === undefined) return true
  if (event.type === 'source_amended') {
    return isSameValue(given, before.source_candidate?.snapshot)
  }
  const isRefresh = event.type === 'source_refreshed'
  const isSame = isSameValue(sectionsOf(given), sectionsOf(pinned)) && (isRefresh || given.title === pinned.title)
  return isSame && given.requirements_revision === pinned.requirements_revision
}

function sectionsOf({ manifest_revision, parent_requirements_revision, sections }: PinnedSource): unknown[] {
  const content = sections.map(({ provenance, ...section }) => ({ ...section, node: provenance.comment_node_id }))
  return [manifest_revision, parent_requirements_revision, content]
}

function isTrueCandidate({ before, event, after }: Transition): boolean {
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

function isTrueChoice({ before, event, after }: Transition): boolean {
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
