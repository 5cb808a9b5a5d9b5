import { CONTRACT_VERSION } from '../contract/limits.ts'
import type { LocalRun } from '../contract/run-status.shape.ts'
import { destructiveGrant, pendingRequest } from './destructive.ts'
import { nextHint } from './next-hint.ts'
import type { Run } from './run.ts'
import { withoutUndefined } from './without-undefined.ts'

/** Everything about a run that is for others to see. Lists that are empty are left out, but for the actions. */
export function toRunStatus(run: Run): LocalRun {
  const { source_choices, accepted_sections: _accepted, omitted_observations: omitted, ...kept } = run
  const mark = omitted > 0 ? [`...[${omitted} earlier observations in journal]`] : []
  return withoutUndefined({
    contract_version: CONTRACT_VERSION,
    ...kept,
    workspace: run.workspace_identity.worktree_root,
    last_source_choice: source_choices.at(-1),
    pending_actions: unlessEmpty(run.pending_actions),
    answers: unlessEmpty(run.answers),
    observations: unlessEmpty([...mark, ...run.observations]),
    known_issues: unlessEmpty(run.known_issues),
    uncertainties: unlessEmpty(run.uncertainties),
    activities: unlessEmpty(run.activities),
    pending_destructive_request: pendingRequest(run),
    destructive_grant: destructiveGrant(run),
    next: nextHint(run),
  })
}

function unlessEmpty<T>(list: readonly T[]): readonly T[] | undefined {
  return list.length === 0 ? undefined : list
}
