/** What people answered, and which of it holds. */
import { digestAnswer } from './answer-text.ts'
import { pendingRequest } from './destructive.ts'
import type { Transition, TransitionRule } from './transition.ts'

export const ANSWER_RULES: readonly TransitionRule[] = [
  {
    says: 'an answer is recorded, and nothing else brings one',
    holds: ({ event }) => (event.type === 'answer_recorded') === (event.data.answer_appended !== undefined),
  },
  { says: 'an answer is about the question of the current action, and is kept as it was given', holds: isTrueAnswer },
  {
    says: 'a confirmation names what was asked for and is no decision, and only a confirmation names anything',
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
    says: 'an answer gives way to another answer or to other requirements',
    holds: ({ before, event, after }) => {
      const by = event.data.answers_superseded?.superseded_by
      if (by === undefined) return true
      if (event.type === 'answer_recorded') return by === before.current_action?.action_id
      return event.type === 'source_amended' && by === `requirements:${after.pinned_source?.requirements_revision}`
    },
  },
]

function isTrueAnswer({ before, event }: Transition): boolean {
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
