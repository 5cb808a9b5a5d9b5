/** When a run may be paused, and for which reason. A new pause reason needs a case in `isReasonTrue`. */
import { currentRecord, type Run } from '../state/run.ts'
import type { TransitionRule } from './transition.ts'

export const PAUSE_RULES: readonly TransitionRule[] = [
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
]

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
