import type { Action } from '../contract/action.shape.ts'
import { CONTRACT_VERSION } from '../contract/limits.ts'
import type { ActionRecord } from '../contract/run-record.shape.ts'
import type { LocalRun } from '../contract/run-status.shape.ts'
import { withoutUndefined } from '../kit/json-value.ts'
import { nextHint } from './next-hint.ts'
import { type ActionTrace, destructiveGrant, pendingRequest, type Run } from './state/run.ts'
import type { RunEvent } from './state/run-event.shape.ts'

/** The action that an event issued, if any. Only the event has the whole action. */
export function issuedBy({ data }: RunEvent): readonly Action[] {
  return data.current_action ? [data.current_action] : []
}

/** A status without the texts of its actions: those are in the journal only. */
export type RunOutline = Omit<LocalRun, 'actions'> & Pick<Run, 'actions'>

/** The published status of a run; `issued` are the whole actions from its events. */
export function toRunStatus(run: Run, issued: readonly Action[]): LocalRun {
  return { ...toRunOutline(run), actions: run.actions.map((trace, index) => toRecord(trace, issued[index])) }
}

/** Omits empty lists, except `actions`. */
export function toRunOutline(run: Run): RunOutline {
  const { source_choices, accepted_sections: _accepted, omitted_observations: omitted, ...fields } = run
  const mark = omitted > 0 ? [`...[${omitted} earlier observations in journal]`] : []
  return withoutUndefined({
    contract_version: CONTRACT_VERSION,
    ...fields,
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

function toRecord(trace: ActionTrace, action: Action | undefined): ActionRecord {
  if (action?.action_id !== trace.action.action_id) throw new TypeError(`not the action ${trace.action.action_id}`)
  // The compiler cannot see which record belongs to a review; the event rules ensure it.
  return { ...trace, action } as ActionRecord
}

function unlessEmpty<T>(list: readonly T[]): readonly T[] | undefined {
  return list.length === 0 ? undefined : list
}
