/** What is issued, in which order, and what becomes of it. */
import { hasActionId } from './action-ids.ts'
import { pendingRequest } from './destructive.ts'
import type { ActionUpdate } from './event.shape.ts'
import { toActionRequirements, toActionSource } from './issue-action.ts'
import { isSameValue } from './same-value.ts'
import { goesOn, type Transition, type TransitionRule } from './transition.ts'

export const ACTION_RULES: readonly TransitionRule[] = [
  {
    says: 'an outcome is submitted, and nothing else brings one',
    holds: ({ event }) => (event.type === 'outcome_submitted') === (event.data.action_update?.outcome !== undefined),
  },
  {
    says: 'an action is skipped by being skipped',
    holds: ({ event }) => (event.type === 'action_skipped') === (event.data.action_update?.skipped === true),
  },
  {
    says: 'an outcome belongs to the action that an active run waits for',
    holds: ({ before, event }) => {
      const outcome = event.data.action_update?.outcome
      if (outcome === undefined) return true
      const { state, current_action } = before
      const isOfThisAction = outcome.action_id === current_action?.action_id
      return state === 'active' && isOfThisAction && outcome.action_kind === current_action?.kind
    },
  },
  {
    says: 'a skipped review, and nothing else, has a projection of a review',
    holds: ({ before, event }) => {
      const update = event.data.action_update
      const isReview = update?.skipped === true && before.current_action?.kind === 'review'
      return isReview === (update?.review_projection !== undefined)
    },
  },
  { says: 'an action that is done, skipped or withdrawn is not current any more', holds: isLetGo },
  { says: 'an action does not disappear', holds: isAccountedFor },
  {
    says: 'a run that goes on, or starts, gets an orientation',
    holds: ({ event }) =>
      !(goesOn(event) || event.type === 'run_started') || event.data.current_action?.kind === 'orient',
  },
  { says: 'an action is of its run, for its goal and its requirements, under an id of its own', holds: isOwnAction },
  { says: 'an action costs one of the budget, and only a run that goes on gets another', holds: isPaidFor },
  { says: 'only what was asked for and confirmed just now may be destroyed', holds: isAllowed },
]

function isFinal(update: ActionUpdate | undefined): boolean {
  return update !== undefined && update.outcome?.status !== 'needs_input'
}

function isLetGo({ event }: Transition): boolean {
  return !isFinal(event.data.action_update) || event.data.current_action !== undefined
}

/** An action that asked for a confirmation has its outcome already; what follows if it is given takes its place. */
function isAccountedFor({ before, event }: Transition): boolean {
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

function isPaidFor({ before, event, after }: Transition): boolean {
  const action = event.data.current_action
  if (action && action.remaining_budget !== after.remaining_budget) return false
  return goesOn(event) || after.remaining_budget === before.remaining_budget - (action ? 1 : 0)
}

function isAllowed({ before, event }: Transition): boolean {
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
