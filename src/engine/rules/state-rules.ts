/** What a run contains in each state, and which event leads to it. */
import { currentRecord } from '../state/run.ts'
import type { TransitionRule } from './transition.ts'

export const STATE_RULES: readonly TransitionRule[] = [
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
