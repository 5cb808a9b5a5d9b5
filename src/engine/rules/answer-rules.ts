/** Which answers may be recorded, and what supersedes them. */
import { digestAnswer } from '../state/answer-digest.ts'
import { pendingRequest } from '../state/run.ts'
import type { Transition, TransitionRule } from './transition.ts'

export const ANSWER_RULES: readonly TransitionRule[] = [
  {
    says: 'exactly the answer events carry an answer',
    holds: ({ event }) => (event.type === 'answer_recorded') === (event.data.answer_appended !== undefined),
  },
  {
    says: 'an answer is for the question of the current action, with its own digest and revisions',
    holds: isAnswerRight,
  },
  {
    says: 'a confirmation names the requested scope and is not an active decision; other answers name no scope',
    holds: ({ before, event }) => {
      const answer = event.data.answer_appended
      if (answer === undefined) return true
      const isConfirmation = answer.confirm_destructive
      const scope = isConfirmation ? pendingRequest(before)?.scope_sha256 : undefined
      return (
        answer.active !== isConfirmation && answer.scope_sha256 === scope && (!isConfirmation || scope !== undefined)
      )
    },
  },
  {
    says: 'an answer is superseded by a new answer or by new requirements',
    holds: ({ before, event, after }) => {
      const by = event.data.answers_superseded?.superseded_by
      if (by === undefined) return true
      if (event.type === 'answer_recorded') return by === before.current_action?.action_id
      return event.type === 'source_amended' && by === `requirements:${after.pinned_source?.requirements_revision}`
    },
  },
]

function isAnswerRight({ before, event }: Transition): boolean {
  const answer = event.data.answer_appended
  if (answer === undefined) return true
  const { action_id, text, confirm_destructive: confirmDestructive, scope_sha256: scopeSha256 } = answer
  const { pause_reason, current_action, pinned_source } = before
  return (
    (pause_reason === 'decision_required' || pause_reason === 'destructive_confirmation_required') &&
    action_id === current_action?.action_id &&
    before.answers.every((each) => each.action_id !== action_id) &&
    answer.superseded_by === undefined &&
    answer.source_revision === pinned_source?.source_revision &&
    answer.requirements_revision === pinned_source?.requirements_revision &&
    answer.payload_sha256 === digestAnswer({ actionId: action_id, text, confirmDestructive, scopeSha256 })
  )
}
