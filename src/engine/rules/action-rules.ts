/** Which actions may be issued, how they end, and which answers may be recorded. */

import { toActionRequirements, toActionSource } from '../state/action-requirements.ts'
import { digestAnswer } from '../state/answer-digest.ts'
import { isSameValue } from '../state/diff-runs.ts'
import { hasActionId, pendingRequest } from '../state/run.ts'
import type { ActionUpdate } from '../state/run-event.shape.ts'
import { isContinuation, type Transition, type TransitionRule } from './transition.ts'

export const ACTION_RULES: readonly TransitionRule[] = [
  {
    says: 'exactly the submit events carry an outcome',
    holds: ({ event }) => (event.type === 'outcome_submitted') === (event.data.action_update?.outcome !== undefined),
  },
  {
    says: 'exactly the skip events skip an action',
    holds: ({ event }) => (event.type === 'action_skipped') === (event.data.action_update?.skipped === true),
  },
  {
    says: 'an outcome is for the current action of an active run',
    holds: ({ before, event }) => {
      const outcome = event.data.action_update?.outcome
      if (outcome === undefined) return true
      const { state, current_action } = before
      const isOfThisAction = outcome.action_id === current_action?.action_id
      return state === 'active' && isOfThisAction && outcome.action_kind === current_action?.kind
    },
  },
  {
    says: 'exactly a skipped review has a review projection',
    holds: ({ before, event }) => {
      const update = event.data.action_update
      const isReview = update?.skipped === true && before.current_action?.kind === 'review'
      return isReview === (update?.review_projection !== undefined)
    },
  },
  { says: 'a done, skipped or withdrawn action is no longer current', holds: isNoLongerCurrent },
  { says: 'a current action is finished, skipped or withdrawn before it is replaced', holds: isReplacedProperly },
  {
    says: 'a run starts or continues with an orientation',
    holds: ({ event }) =>
      !(isContinuation(event) || event.type === 'run_started') || event.data.current_action?.kind === 'orient',
  },
  { says: 'an action has a new id and the run id, goal, source and requirements of its run', holds: isOwnAction },
  {
    says: 'an action costs one unit of the budget, and only a resume changes the budget otherwise',
    holds: isBudgetRight,
  },
  { says: 'a destructive authorization repeats the request that this event confirms', holds: isAuthorizationRight },
]

function isFinal(update: ActionUpdate | undefined): boolean {
  return update !== undefined && update.outcome?.status !== 'needs_input'
}

function isNoLongerCurrent({ event }: Transition): boolean {
  return !isFinal(event.data.action_update) || event.data.current_action !== undefined
}

/** The action that asked for a confirmation already has its outcome, so the confirmed action may replace it. */
function isReplacedProperly({ before, event }: Transition): boolean {
  const { action_update, current_action } = event.data
  if (before.current_action === undefined || current_action === undefined) return true
  return isFinal(action_update) || current_action?.destructive_authorization !== undefined
}

function isOwnAction({ before, event, after }: Transition): boolean {
  const action = event.data.current_action
  if (!action) return true
  const source = after.pinned_source
  return (
    action.run_id === after.id &&
    action.goal === after.goal &&
    !hasActionId(before.actions, action.action_id) &&
    isSameValue(action.source, source && toActionSource(source)) &&
    isSameValue(action.requirements, source && toActionRequirements(after, source, action.action_id))
  )
}

function isBudgetRight({ before, event, after }: Transition): boolean {
  const action = event.data.current_action
  if (action && action.remaining_budget !== after.remaining_budget) return false
  return isContinuation(event) || after.remaining_budget === before.remaining_budget - (action ? 1 : 0)
}

function isAuthorizationRight({ before, event }: Transition): boolean {
  const authorization = event.data.current_action?.destructive_authorization
  const { answer_appended: answer } = event.data
  if (authorization === undefined) return !(answer?.confirm_destructive === true && event.data.current_action)
  const { originating_action_id, scope_version: _version, confirmed_at: _at, ...scope } = authorization
  return (
    answer?.confirm_destructive === true &&
    before.state === 'paused' &&
    originating_action_id === before.current_action?.action_id &&
    isSameValue(scope, pendingRequest(before))
  )
}

/** Which answers may be recorded, and what supersedes them. */
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
