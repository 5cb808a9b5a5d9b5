/** What a run looks like in each state, and which event leads there. */
import { currentRecord, type Run } from './run.ts'
import type { TransitionRule } from './transition.ts'

export const STATE_RULES: readonly TransitionRule[] = [
  { says: 'nothing happens to a run that has ended', holds: ({ before }) => before.state !== 'ended' },
  {
    says: 'a run is started by the first event and no other',
    holds: ({ event }) => (event.type === 'run_started') === (event.data.initialize !== undefined),
  },
  {
    says: 'a run is stopped by being stopped',
    holds: ({ event }) => (event.type === 'run_stopped') === (event.data.state === 'stopped'),
  },
  {
    says: 'a run has a reason to pause exactly while it is paused',
    holds: ({ after }) => (after.state === 'paused') === (after.pause_reason !== undefined),
  },
  { says: 'what a run waits for is what its pause says', holds: ({ after }) => isPauseTrue(after) },
  {
    says: 'an active run has an action, which has no outcome yet',
    holds: ({ after }) => {
      const record = currentRecord(after)
      return after.state !== 'active' || (record !== undefined && record.outcome === undefined)
    },
  },
  {
    says: 'a run that is stopped or has ended has no action',
    holds: ({ after }) => after.state === 'active' || after.state === 'paused' || after.current_action === undefined,
  },
  {
    says: 'a run has a summary exactly when it has ended',
    holds: ({ after }) => (after.state === 'ended') === (after.summary !== undefined),
  },
  {
    says: 'the last look at the worktree is the one at the end',
    holds: ({ after }) => !after.final_git_observed || after.state === 'ended',
  },
  {
    says: 'a suggestion waits only while the run does not go on for want of a look at the worktree, or is stopped',
    holds: ({ after }) =>
      after.pending_actions.length === 0 ||
      (after.current_action === undefined &&
        (after.state === 'stopped' || after.pause_reason === 'environment_unavailable')),
  },
  {
    says: 'nothing goes on while a candidate waits for a choice',
    holds: ({ after }) =>
      after.source_candidate === undefined || after.state === 'stopped' || after.pause_reason === 'decision_required',
  },
  {
    says: 'no review is due where reviews are turned off',
    holds: ({ after }) => after.review_enabled || !after.review_pending,
  },
  {
    says: 'the worktree is looked at after work, done or skipped',
    holds: ({ event }) =>
      event.data.current_git === undefined || event.type === 'outcome_submitted' || event.type === 'action_skipped',
  },
]

function isPauseTrue(run: Run): boolean {
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
