/** What a run contains in each state, when and why it is paused, and which event leads to a state. */
import { currentRecord, type Run } from '../state/run.ts'
import type { TransitionRule } from './transition.ts'

export const STATE_RULES: readonly TransitionRule[] = [
  {
    says: 'a run has a pause reason exactly while it is paused',
    holds: ({ after }) => (after.state === 'paused') === (after.pause_reason !== undefined),
  },
  { says: 'the pause reason matches what the run is waiting for', holds: ({ after }) => isReasonTrue(after) },
  {
    says: 'a run with a source candidate is stopped or waiting for a decision',
    holds: ({ after }) =>
      after.source_candidate === undefined || after.state === 'stopped' || after.pause_reason === 'decision_required',
  },
  { says: 'no event follows the end of a run', holds: ({ before }) => before.state !== 'ended' },
  {
    says: 'only the first event starts a run',
    holds: ({ event }) => (event.type === 'run_started') === (event.data.initialize !== undefined),
  },
  {
    says: 'only a stop event stops a run',
    holds: ({ event }) => (event.type === 'run_stopped') === (event.data.state === 'stopped'),
  },
  {
    says: 'an active run has a current action without an outcome',
    holds: ({ after }) => {
      const record = currentRecord(after)
      return after.state !== 'active' || (record !== undefined && record.outcome === undefined)
    },
  },
  {
    says: 'a stopped or ended run has no current action',
    holds: ({ after }) => after.state === 'active' || after.state === 'paused' || after.current_action === undefined,
  },
  {
    says: 'a run has a summary exactly when it has ended',
    holds: ({ after }) => (after.state === 'ended') === (after.summary !== undefined),
  },
  {
    says: 'the final git observation is made when the run ends',
    holds: ({ after }) => !after.final_git_observed || after.state === 'ended',
  },
  {
    says: 'a suggestion is pending only while the run is stopped or its environment is unavailable',
    holds: ({ after }) =>
      after.pending_actions.length === 0 ||
      (after.current_action === undefined &&
        (after.state === 'stopped' || after.pause_reason === 'environment_unavailable')),
  },
  {
    says: 'no review is pending when reviews are disabled',
    holds: ({ after }) => after.review_enabled || !after.review_pending,
  },
  {
    says: 'the worktree is observed only after an outcome or a skip',
    holds: ({ event }) =>
      event.data.current_git === undefined || event.type === 'outcome_submitted' || event.type === 'action_skipped',
  },
]

/** A new pause reason needs a case here. */
function isReasonTrue(run: Run): boolean {
  const { pause_reason, current_action, source_candidate } = run
  const asked = currentRecord(run)?.outcome?.pause?.reason
  switch (pause_reason) {
    case 'decision_required':
      return asked === 'decision_required' || (source_candidate !== undefined && current_action === undefined)
    case 'destructive_confirmation_required':
      return asked === 'destructive_confirmation_required'
    case 'environment_unavailable':
      return asked !== undefined || current_action === undefined
    case 'budget_exhausted':
      return current_action === undefined && run.remaining_budget === 0
    default:
      return true
  }
}
